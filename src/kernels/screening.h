// Screening: of all statements of a size, those that would lower a loss most.
//
// The same as crisplogic.search.crisp.screening. Sums over pairs of literals are made from
// histograms of pairs of columns: the literals of a column are nested.
#pragma once

#include <vector>

#include "rows.h"

namespace kernels {

// How a loss changes with the scores of the rows. `by_row` has, row by row, the gradients of the
// outputs and then the curvature, which is the same for all of them. `unit` is by how much a
// score rises where a statement holds; NaN if that is not known.
struct Slope {
  int outputs;
  std::vector<double> by_row;
  double unit;

  int width() const { return outputs + 1; }
};

// The statements of one to four literals that promise most.
Statements promising(const Rows& rows, const Slope& slope, int size);

// What a statement might become: a part grows by a literal, or a literal is exchanged.
Statements promising_changes(Rows& rows, const Slope& slope, const Statement& statement,
                             bool grow);

}  // namespace kernels
