// Screening: of all statements of a size, those that would lower a loss most.
//
// The same as crisplogic.search.crisp.screening.
#pragma once

#include <memory>

#include "pair_sums.h"

namespace kernels {

class Screening {
 public:
  explicit Screening(Rows& rows) : rows_(rows) {}

  // The statements of one to four literals that promise most.
  Statements promising(const Slope& slope, int size);
  // What a statement might become: a part grows by a literal, or a literal is exchanged.
  Statements promising_changes(const Slope& slope, const Statement& statement, bool grow) const;

 private:
  Rows& rows_;
  Sums gains_;  // memory for those of all pairs
  std::unique_ptr<const PairWeights> weights_;  // once squared errors have needed them
};

}  // namespace kernels
