#include "reduction/buffer_ledger.hpp"

#include <gtest/gtest.h>

namespace {

using namespace skel;
using enum plan::reduction_algorithm;
using plan::set_of;

pattern_features sized(std::size_t elements, std::size_t subscripts) {
  pattern_features of;
  of.elements = elements;
  of.subscripts = subscripts;
  return of;
}

TEST(BufferLedger, KeepsPlansForOnePatternAndBuffersForAllThatAreNotLarger) {
  buffer_ledger ledger;
  ledger.next_pattern();
  EXPECT_EQ(ledger.plans(), 0u);
  ledger.prepared(replicated_buffer, sized(1000, 4000), true);
  ledger.prepared(local_write, sized(1000, 4000), false);
  EXPECT_EQ(ledger.plans(), set_of(replicated_buffer) | set_of(local_write));
  ledger.next_pattern();
  EXPECT_EQ(ledger.plans(), 0u);
  EXPECT_EQ(ledger.buffers_for(sized(1000, 9000)), set_of(replicated_buffer)) << "whole copies hold all subscripts";
  EXPECT_EQ(ledger.buffers_for(sized(900, 4000)), set_of(replicated_buffer));
  EXPECT_EQ(ledger.buffers_for(sized(1001, 4000)), 0u);
}

TEST(BufferLedger, PackedPlacesAreForAsManySubscripts) {
  buffer_ledger ledger;
  ledger.next_pattern();
  ledger.prepared(selective_privates, sized(1000, 4000), true);
  EXPECT_EQ(ledger.buffers_for(sized(1000, 4000)), set_of(selective_privates));
  EXPECT_EQ(ledger.buffers_for(sized(1000, 4001)), 0u);
}

TEST(BufferLedger, ExpectsAsManyPatternsAsSharedTheBuffersBefore) {
  buffer_ledger ledger;
  ledger.next_pattern();
  EXPECT_EQ(ledger.later_patterns(), 0);
  ledger.next_pattern();
  ledger.next_pattern();
  EXPECT_EQ(ledger.later_patterns(), 2);
  ledger.prepared(replicated_buffer, sized(1000, 1), true);
  ledger.next_pattern();
  EXPECT_EQ(ledger.later_patterns(), 3);
  ledger.prepared(replicated_buffer, sized(2000, 1), true);  // they had to grow
  ledger.next_pattern();
  EXPECT_EQ(ledger.later_patterns(), 1);
  ledger.keep_only(sequential);
  ledger.next_pattern();
  EXPECT_EQ(ledger.later_patterns(), 1);
  EXPECT_EQ(ledger.buffers_for(sized(1, 1)), 0u);
}

TEST(BufferLedger, ForgetsEverything) {
  buffer_ledger ledger;
  ledger.next_pattern();
  ledger.prepared(replicated_links, sized(10, 10), true);
  ledger.clear();
  EXPECT_EQ(ledger.plans(), 0u);
  EXPECT_EQ(ledger.buffers_for(sized(10, 10)), 0u);
  ledger.next_pattern();
  EXPECT_EQ(ledger.later_patterns(), 0);
}

}  // namespace
