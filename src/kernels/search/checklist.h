// Checklist: two classes, and how many statements have to hold for the positive one.
//
// The same as crisplogic.search.crisp.checklist and any_of. A prediction depends on how many
// statements hold alone, so the rows become a small table of counts, and logistic regression on it
// is exact.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "count_table.h"
#include "objective.h"

namespace kernels {

class Checklist : public Objective {
 public:
  // `positive` is how much of the positive class each row weighs, `weights` all of it. With `any`
  // one statement has to hold, instead of enough of them; `votes` is 1 where statements speak for
  // the positive class, -1 where they speak for the other one.
  Checklist(Rows& rows, const Permits& permits, size_t positive_output,
            const std::vector<double>& positive, const std::vector<double>& weights, bool any,
            int vote);

  double loss(const Statements& statements) override;
  Slope slope(const Statements& statements) override;
  Statements oriented(const Statements& options, const Statements& rest) override;
  bool is_permitted(const Statement& statement) const override;
  std::vector<double> losses(const Statements& rest, const Statements& options,
                             const std::vector<Scan>& scans,
                             const std::vector<std::vector<double>>& needed,
                             double limit) override;

 private:
  using Counts = std::vector<std::uint8_t>;
  // Sums over the rows that a statement holds for, and over those for which that is unknown, by
  // how many others hold.
  struct Shares {
    CountTable holds, unknown;
  };
  // Some statements, how many of them hold on each row in halves, and sums of rows by that count;
  // and the shares of other statements, as far as they are known.
  struct Rest {
    Statements statements;
    Counts counts;
    CountTable table;
    std::unordered_map<Statement, Shares, Hash> shares;
  };
  // A table of counts, what is added to its loss, and what both are at least.
  struct Candidate {
    size_t place;
    CountTable table;
    double penalty, bound;
  };

  // What is known of the statements; it is kept until others are asked for.
  Rest& rest_of(const Statements& statements);
  // The counts of the rows with one more statement.
  Counts counts_with(const Rest& rest, const Bits& bits) const;
  CountTable sums_of(const Rest& rest, const Words& words) const;
  Shares shares_of(const Rest& rest, const Bits& bits) const;
  Shares shares_of(Rest& rest, const Statement& statement);
  // The same of two literals that are known for all rows. What they share is kept: it tells about
  // all ways to join them.
  Shares shares_of_pair(Rest& rest, const Statement& pair);
  const CountTable& held_by(Rest& rest, const Statement& statement);
  // The table of counts with one more statement.
  CountTable table_with(const Rest& rest, const Shares& shares) const;
  // How many statements hold if there is one more, in halves.
  size_t count_with(size_t count, Halves value) const {
    return any_ ? std::max<size_t>(count, value) : count + value;
  }
  size_t most(size_t statements) const { return kTrue * (any_ ? 1 : statements); }
  // Those cuts of a scan that may have a loss below the limit. Their places begin at the first.
  void append_cuts(const Rest& rest, const Scan& scan, const double* penalties, size_t first,
                   double limit, std::vector<Candidate>& out) const;

  size_t positive_output_;
  std::vector<double> classes_;  // of each row: how much is positive, and its weight
  bool any_;
  int vote_;
  Rest rest_;
};

}  // namespace kernels
