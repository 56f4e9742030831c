// Statements: yes/no literals about columns, joined by and, or and xor.
//
// The same as crisplogic.search.crisp.statement: literals from left to right, and a shape in
// postfix notation, with a dot for every literal. "..&.|" is (a and b) or c.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernels {

// What a statement counts on a row: 0 if it is false, 1 if it is unknown, 2 if it holds.
using Halves = std::int8_t;
constexpr Halves kFalse = 0, kUnknown = 1, kTrue = 2;
constexpr char kDot = '.';
constexpr int kMostLiterals = 8;  // of a statement

// Whether a column is above a cut, or at most that if it is negated.
struct Literal {
  int feature;
  double cut;
  bool negated = false;

  Literal operator~() const { return {feature, cut, !negated}; }
};

bool operator==(const Literal& one, const Literal& other);
bool operator<(const Literal& one, const Literal& other);

struct Statement {
  std::vector<Literal> literals;
  std::string shape;

  int size() const { return static_cast<int>(literals.size()); }
};

bool operator==(const Statement& one, const Statement& other);
// The order of Python's tuples: it decides between statements of equal loss.
bool operator<(const Statement& one, const Statement& other);

// For maps from literals and from statements.
struct Hash {
  size_t operator()(const Literal& literal) const;
  size_t operator()(const Statement& statement) const;
};

using Statements = std::vector<Statement>;

int size_of(const Statements& statements);
Statements without(const Statements& statements, const Statement& one);
Statements with(Statements statements, const Statement& one);

Statement single(const Literal& literal);
Statement join(char symbol, const Statement& first, const Statement& second);
Statement negation(const Statement& statement);
Statement with_literal(Statement statement, int place, const Literal& literal);
// The part that ends at a place of the shape is joined with a literal.
Statement grown(const Statement& statement, int end, char symbol, const Literal& literal);
// The statement without each of its literals; none if it has one only.
Statements without_literals(const Statement& statement);
// The same literals joined in another way.
Statements other_joins(const Statement& statement);

}  // namespace kernels
