// What a user allows statements to do: the same as crisplogic.constraints.limits, for statements.
#pragma once

#include <cstdint>
#include <vector>

#include "statement.h"

namespace kernels {

// `rises` and `falls`: whether a score may rise, or fall, as a column rises, (columns, outputs).
// `pairs`: which columns may stand together, (columns, columns). All are empty if all may.
struct Permits {
  size_t outputs = 1;
  std::vector<std::uint8_t> rises, falls, pairs;
  bool with_xor = true, with_and_or = true;

  // Whether columns may stand together, joined as they are, whatever the statement says.
  bool allows(const Statement& statement) const;
  // Whether it may also speak for an output (a vote of 1), or against it (-1).
  bool allows(const Statement& statement, size_t output, int vote) const;
};

}  // namespace kernels
