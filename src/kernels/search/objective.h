// Objective: how well statements fit the rows of a table, whatever is to be predicted.
//
// The same as crisplogic.search.crisp.objective.
#pragma once

#include <cmath>
#include <vector>

#include "permits.h"
#include "rows.h"
#include "screening.h"

namespace kernels {

// Losses are compared with so many digits: the last ones differ with the order of sums.
constexpr double kLossDigits = 1e6;
inline double rounded(double loss) { return std::nearbyint(loss * kLossDigits) / kLossDigits; }
// Losses that are nearer than this may be equal once they are rounded.
constexpr double kInDoubt = 2e-6;

class Objective {
 public:
  Objective(Rows& rows, const Permits& permits) : rows(rows), permits(permits) {}
  virtual ~Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;

  // The loss of statements with the best numbers for them, and what they have to gain.
  virtual double loss(const Statements& statements) = 0;
  // How that loss changes with the scores.
  virtual Slope slope(const Statements& statements) = 0;
  // The options, or their negations, as they may enter beside the rest. Those may be missing that
  // are not sensible.
  virtual Statements oriented(const Statements& options, const Statements& rest);
  virtual bool is_permitted(const Statement& statement) const;
  // The loss with each of the options beside the rest, then with each cut of the scans. `needed`
  // is added to the losses of cuts, unless it is empty. A loss is infinite where a cut is not
  // allowed, and where a bound says that another option has the least, or one above the limit.
  virtual std::vector<double> losses(const Statements& rest, const Statements& options,
                                     const std::vector<Scan>& scans,
                                     const std::vector<std::vector<double>>& needed,
                                     double limit) = 0;

  Rows& rows;
  const Permits& permits;
  // Statements of so many literals are looked for as wholes; longer ones have to grow from them.
  int screened = 2, longest = 2;

 protected:
  // What options and cuts have to gain, and statements beside them; infinite if not allowed.
  std::vector<double> penalties(const Statements& rest, const Statements& options,
                                const std::vector<Scan>& scans,
                                const std::vector<std::vector<double>>& needed) const;
  static double penalty(const Statement& statement);
  static double penalty(const Statements& statements);
};

}  // namespace kernels
