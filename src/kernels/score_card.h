// Score cards: statements with points for each of several classes, or for a number.
//
// The same as crisplogic.search.crisp.scorecard: statements are chosen by least squares. Sums over
// rows of products of statements are small matrices, so nothing is solved row by row.
#pragma once

#include <map>
#include <vector>

#include "objective.h"

namespace kernels {

class ScoreCard : public Objective {
 public:
  // `targets` has the rows of the first output first.
  ScoreCard(Rows& rows, const Permits& permits, int outputs, std::vector<double> targets);

  double loss(const Statements& statements) override;
  Slope slope(const Statements& statements) override;
  std::vector<double> losses(const Statements& rest, const Statements& options,
                             const std::vector<Scan>& scans,
                             const std::vector<std::vector<double>>& needed,
                             double limit) override;

 protected:
  // Losses of trials, from the sum of squared errors and from the scores, output by output.
  virtual double loss_of(double squares, const std::vector<double>& scores) const = 0;
  virtual bool needs_scores() const { return true; }

  const double* target(int output) const { return &targets_[output * rows.size()]; }
  const int outputs_;

 private:
  struct Trial;
  struct Basis;

  Basis basis_of(const Statements& rest);
  double product(const Values& one, const Values& other) const;
  double sum(const Values& values) const;
  // Sums over rows of a statement's values times the targets. Shape: (outputs,).
  std::vector<double> with_targets(const Values& values) const;
  // The same, computed once for each statement.
  const std::vector<double>& with_targets(const Statement& statement, const Values& values);
  // The scores of the best points, output by output.
  std::vector<double> fit(const Statements& statements);
  std::vector<Trial> trials(const Basis& basis, const Statements& options,
                            const std::vector<Scan>& scans);
  void clip(const Statement& statement, std::vector<double>& points) const;
  std::vector<double> scores(const Basis& basis, const Values& values, const Trial& trial) const;

  std::vector<double> targets_, weighted_;
  std::map<Statement, std::vector<double>> with_targets_;
  double total_ = 0.0, squares_ = 0.0;
  bool uniform_ = true;
};

// Points for each of several classes; the greatest sum is predicted.
class ClassCard : public ScoreCard {
 public:
  using ScoreCard::ScoreCard;

 protected:
  double loss_of(double squares, const std::vector<double>& scores) const override;
};

// Points for a number.
class NumberCard : public ScoreCard {
 public:
  NumberCard(Rows& rows, const Permits& permits, std::vector<double> targets, double noise);

 protected:
  double loss_of(double squares, const std::vector<double>& scores) const override;
  bool needs_scores() const override { return false; }

 private:
  double noise_, total_ = 0.0;
};

}  // namespace kernels
