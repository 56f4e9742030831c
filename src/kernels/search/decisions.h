// Decisions: which of several classes has the greatest score, and what wrong ones weigh.
#pragma once

#include <vector>

#include "linear_scores.h"

namespace kernels {

// Of scores, and of scores near them. Most rows are so clear that no small change decides them
// otherwise.
class Decisions {
 public:
  // Shape: `scores` and `targets` (rows, wide). What is given has to live as long.
  Decisions(const std::vector<double>& scores, const std::vector<double>& targets,
            const std::vector<double>& weights, size_t outputs);

  // How much rows weigh of which the output of the greatest score is not the target. Of equal
  // scores the first one counts.
  double wrong() const { return total_; }
  // The same if points are added to the scores, times a number for each row.
  // Shape: (rows,), (wide,).
  double wrong_with(const std::vector<double>& times, const std::vector<double>& points) const;

 private:
  const std::vector<double>&scores_, &targets_, &weights_;
  size_t outputs_, wide_;
  std::vector<double> margins_, wrong_;  // of each row
  double total_ = 0.0;
};

}  // namespace kernels
