// Joined: all ways to join a statement of one pool with one of another, and what they would gain.
#pragma once

#include <functional>
#include <vector>

#include "pair_sums.h"

namespace kernels {

// A pool of statements. Few are ever looked at, so they are made on demand. `holds` is where each
// holds on the screened rows, row by row; it is empty for single literals, whose bins say it.
// `members` are the places of their literals, from the least to the greatest, all as many.
struct Pool {
  std::function<Statement(size_t)> statement;
  std::vector<double> holds;
  size_t literals;
  Places members;

  size_t size() const { return members.size() / literals; }
  const size_t* of(size_t at) const { return &members[at * literals]; }
};

// Sums over the rows that each of one pool, each of another, and both hold for, sum by sum; none
// of curvatures where the factors of squared errors are given.
// Shape: (sums, ones), (sums, others), (sums, ones, others).
struct PoolSums {
  Sums of_one, of_other, both;
};

// All ways to join them. Gains lie kind by kind, then one by one; they are minus infinity where
// two have a literal in common, and where they are met before.
class Joined {
 public:
  // Of squared errors, `weights` may be given for the places of the first pool. `buffer` is memory
  // for gains.
  Joined(const Pool& one, const Pool& other, const Screen& screen, const PoolSums& sums,
         Sums& buffer, const PairWeights* weights = nullptr, const Places& places = {});

  const Sums& gains() const { return gains_; }
  size_t pairs() const { return one_.size() * other_.size(); }
  size_t first(size_t flat) const { return flat % pairs() / other_.size(); }
  size_t second(size_t flat) const { return flat % other_.size(); }
  int kind(size_t flat) const { return static_cast<int>(flat / pairs()); }

  Statement statement(size_t flat) const;
  Statements best(size_t count) const;

 private:
  void gain_by_unit(const Screen& screen, const PoolSums& sums);
  void gain_by_squares(const Screen& screen, const PoolSums& sums, const PairWeights* weights,
                       const Places& places);
  void forbid_what_is_met_before();

  const Pool &one_, &other_;
  Sums& gains_;
};

}  // namespace kernels
