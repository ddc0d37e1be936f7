"use strict";
const view = document.getElementById("view"), state = document.getElementById("state");
const folds = () => [...view.querySelectorAll("details")];
async function look() {
  try {
    const answer = await fetch("/view", {cache: "no-store"});
    if (!answer.ok) throw new Error(answer.statusText);
    const open = folds().map(one => one.open);
    view.innerHTML = await answer.text();
    folds().forEach((one, k) => one.open = open[k] ?? false);
    state.textContent = "";
  } catch {
    state.textContent = "The run has ended, or does not answer. This is what was seen last.";
  }
  setTimeout(look, 1000);
}
look();
