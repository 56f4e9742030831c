// Score cards: statements with points for each of several classes, or for a number.
//
// The same as crisplogic.search.crisp.scorecard: statements are chosen by least squares. Sums over
// rows of products of statements are small matrices, so nothing is solved row by row.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "decisions.h"
#include "objective.h"

namespace kernels {

class ScoreCard : public Objective {
 public:
  // `targets` has the rows of the first output first.
  ScoreCard(Rows& rows, const Permits& permits, int outputs, const std::vector<double>& targets);

  double loss(const Statements& statements) override;
  Slope slope(const Statements& statements) override;
  std::vector<double> losses(const Statements& rest, const Statements& options,
                             const std::vector<Scan>& scans,
                             const std::vector<std::vector<double>>& needed,
                             double limit) override;

 protected:
  // The loss of scores with so great a sum of squared errors, which more points may be added to,
  // times a number for each row; or what that is at least, if the scores are not known.
  // Shape: (rows,), (outputs,).
  virtual double loss_of(double squares, const Decisions* scores = nullptr,
                         const std::vector<double>* times = nullptr,
                         const std::vector<double>* points = nullptr) const = 0;
  virtual bool needs_scores() const { return true; }

  double target(size_t row, int output) const { return targets_[row * wide_ + output]; }
  const int outputs_;

 private:
  // A statement, where it holds, and sums over rows of it times the targets. `values` are what it
  // counts; they are empty if all rows weigh the same. `number` tells statements apart; 0 is none.
  struct Known {
    Bits bits;
    Values values;
    std::vector<double> with_targets;
    std::uint64_t number = 0;
  };
  using Members = std::vector<const Known*>;
  struct Basis;
  struct Trials;

  const Known& known(const Statement& statement);
  // The constant, and then each statement.
  Members members(const Statements& statements);
  // Sums over rows of products of one statement with each member, `step` numbers apart.
  void write_products(const Known& one, const Members& members, const BitMatrix& bits,
                      double* out, size_t step);
  void write_weighted_products(const Known& one, const Members& members, double* out,
                               size_t step);
  std::vector<double> gram_of(const Members& members, const BitMatrix& bits);
  double square_of(const Bits& bits) const;
  // Sums over rows of a statement times the targets. Shape: (outputs,).
  std::vector<double> with_targets(const Bits& bits) const;

  // The scores of the best points. Shape: (rows, wide).
  std::vector<double> fit(const Statements& statements);
  Basis basis_of(const Statements& rest);
  Trials trials_of(Basis& basis, const Statements& options,
                   const std::vector<Scan>& scans);
  void write_targets_of_cuts(const Scan& scan, double* slopes, size_t step) const;
  void write_few_cuts(const Basis& basis, const Scan& scan, size_t first, Trials& trials);
  void write_many_cuts(Basis& basis, const Scan& scan, size_t first, Trials& trials);
  bool is_limited() const;
  void clip(const Statement& statement, size_t trial, Trials& trials) const;
  Bits bits_of(const Statements& options, const std::vector<Scan>& scans, size_t at);
  void fit(Basis& basis) const;
  // How much of a statement is left beside a basis. Shape: (rows,).
  std::vector<double> left_of(const Basis& basis, const Bits& bits, const Trials& trials,
                              size_t trial) const;

  // Targets, and targets times weights, row by row, with so many numbers a row.
  size_t wide_;
  std::vector<double> targets_, weighted_;
  std::unordered_map<Statement, Known, Hash> known_;
  std::unordered_map<std::uint64_t, double> products_;  // of weighted rows, by two numbers
  Known constant_;
  double total_ = 0.0, squares_ = 0.0;
  bool uniform_ = true;
};

// Points for each of several classes; the greatest sum is predicted.
class ClassCard : public ScoreCard {
 public:
  ClassCard(Rows& rows, const Permits& permits, int outputs, const std::vector<double>& targets);

 protected:
  double loss_of(double squares, const Decisions* scores, const std::vector<double>* times,
                 const std::vector<double>* points) const override;

 private:
  double least_wrong_ = 0.0;
};

// Points for a number.
class NumberCard : public ScoreCard {
 public:
  NumberCard(Rows& rows, const Permits& permits, const std::vector<double>& targets,
             double noise);

 protected:
  double loss_of(double squares, const Decisions*, const std::vector<double>*,
                 const std::vector<double>*) const override;
  bool needs_scores() const override { return false; }

 private:
  double noise_, total_ = 0.0;
};

}  // namespace kernels
