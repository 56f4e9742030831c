// Checklist: two classes, and how many statements have to hold for the positive one.
//
// The same as crisplogic.search.crisp.checklist and any_of. A prediction depends on how many
// statements hold alone, so the rows become a small table of counts, and logistic regression on it
// is exact.
#pragma once

#include <vector>

#include "objective.h"

namespace kernels {

class Checklist : public Objective {
 public:
  // `positive` is how much of the positive class each row weighs, `weights` all of it. With `any`
  // one statement has to hold, instead of enough of them; `votes` is 1 where statements speak for
  // the positive class, -1 where they speak for the other one.
  Checklist(Rows& rows, const Permits& permits, size_t positive_output,
            std::vector<double> positive, std::vector<double> weights, bool any, int vote);

  double loss(const Statements& statements) override;
  Slope slope(const Statements& statements) override;
  Statements oriented(const Statements& options, const Slope& slope) override;
  bool is_permitted(const Statement& statement) const override;
  std::vector<double> losses(const Statements& rest, const Statements& options,
                             const std::vector<Scan>& scans,
                             const std::vector<std::vector<double>>& needed,
                             double limit) override;

 private:
  using Counts = std::vector<std::uint8_t>;
  // How much of either class has each count, in halves.
  struct Table {
    std::vector<double> positive, negative;
  };

  Counts counts(const Statements& statements);
  // How many statements hold if there is one more, in halves.
  void add(const Halves* values, const Counts& counts, Counts& out) const;
  int most(size_t statements) const {
    return kTrue * (any_ ? 1 : static_cast<int>(statements));
  }
  Table table(const Counts& counts, int most) const;
  std::vector<Table> tables_of_cuts(const Counts& base, const Scan& scan, int most) const;

  size_t positive_output_;
  std::vector<double> positive_, weights_;
  bool any_;
  int vote_;
};

}  // namespace kernels
