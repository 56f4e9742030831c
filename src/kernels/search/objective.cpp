#include "objective.h"

#include <algorithm>

namespace kernels {

namespace {

// What an exclusive or has to gain beyond other pairs, and every literal beyond two: both are
// harder to read.
constexpr double kXorPenalty = 3.0, kLongPenalty = 3.0;

}  // namespace

Statements Objective::oriented(const Statements& options, const Statements&) {
  Statements found;
  for (const auto& each : options)
    if (is_permitted(each)) found.push_back(each);
  return found;
}

bool Objective::is_permitted(const Statement& statement) const {
  return permits.allows(statement);
}

double Objective::penalty(const Statement& statement) {
  const auto& shape = statement.shape;
  const auto xors = static_cast<double>(std::count(shape.begin(), shape.end(), '^'));
  return kXorPenalty * xors + kLongPenalty * std::max(statement.size() - 2, 0);
}

double Objective::penalty(const Statements& statements) {
  double total = 0.0;
  for (const auto& each : statements) total += penalty(each);
  return total;
}

std::vector<double> Objective::penalties(const Statements& rest, const Statements& options,
                                         const std::vector<Scan>& scans,
                                         const std::vector<std::vector<double>>& needed) const {
  const double of_rest = penalty(rest);
  std::vector<double> found;
  for (const auto& each : options) found.push_back(of_rest + penalty(each));
  for (size_t scan = 0; scan < scans.size(); ++scan) {
    const double own = of_rest + penalty(scans[scan].statement);
    for (size_t at = 0; at < scans[scan].size(); ++at) {
      const double more = needed.empty() ? 0.0 : needed[scan][at];
      found.push_back(scans[scan].allowed[at] ? own + more : INFINITY);
    }
  }
  return found;
}

}  // namespace kernels
