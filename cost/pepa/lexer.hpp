#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <skel/detail/cost/pepa/model.hpp>

namespace skel::cost::pepa::detail {

enum class token_kind : std::uint8_t {
  name,
  number,
  open,
  close,
  open_array,
  close_array,
  open_set,
  close_set,
  less,
  greater,
  comma,
  dot,
  semicolon,
  equals,
  plus,
  minus,
  star,
  slash,
  hash,
  parallel,
  end,
};

struct token {
  token_kind kind = token_kind::end;
  position where;
  std::string_view text;
  double number = 0;
};

struct lexed {
  std::vector<token> tokens;                                // the last one is `end`
  std::unordered_map<std::string, position> commented_out;  // NAME of "% NAME = ..." comments
};

/// Text -> tokens. Throws skel::input_error for a byte that PEPA does not use, a malformed number, an open comment.
lexed tokenize(std::string_view text, std::string const& source);

}  // namespace skel::cost::pepa::detail
