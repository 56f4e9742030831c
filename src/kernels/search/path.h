// The path of crisp rules from none to many statements, with a local optimum at every size.
//
// The same as crisplogic.search.crisp.path.
#pragma once

#include <map>
#include <vector>

#include "objective.h"

namespace kernels {

struct Found {
  double loss;
  Statements statements;
};

// The best statements found of every size up to so many literals. So many `ways` to a size are
// followed to the end.
std::map<int, Found> follow_path(Objective& objective, int most, int ways);

// One statement beside others, with the cut moved that gains most on the rows themselves; false
// if none gains enough. Columns that are not `movable` keep their cuts.
bool move_to_rows(Objective& unsmoothed, const Statements& rest, const Statement& statement,
                  const std::vector<std::uint8_t>& movable, int& place, double& cut);

}  // namespace kernels
