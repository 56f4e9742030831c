#include "statement.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace kernels {

bool operator==(const Literal& one, const Literal& other) {
  return one.feature == other.feature && one.cut == other.cut && one.negated == other.negated;
}

bool operator<(const Literal& one, const Literal& other) {
  return std::tie(one.feature, one.cut, one.negated) <
         std::tie(other.feature, other.cut, other.negated);
}

bool operator==(const Statement& one, const Statement& other) {
  return one.shape == other.shape && one.literals == other.literals;
}

bool operator<(const Statement& one, const Statement& other) {
  return std::tie(one.literals, one.shape) < std::tie(other.literals, other.shape);
}

namespace {

size_t mixed(size_t hash, size_t more) {
  hash = (hash ^ more) * static_cast<size_t>(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

}  // namespace

size_t Hash::operator()(const Literal& literal) const {
  const size_t cut = std::hash<double>()(literal.cut);
  return mixed(static_cast<size_t>(literal.feature) * 2 + literal.negated, cut);
}

size_t Hash::operator()(const Statement& statement) const {
  size_t hash = std::hash<std::string>()(statement.shape);
  for (const auto& each : statement.literals) hash = mixed(hash, (*this)(each));
  return hash;
}

int size_of(const Statements& statements) {
  int total = 0;
  for (const auto& each : statements) total += each.size();
  return total;
}

Statements without(const Statements& statements, const Statement& one) {
  Statements rest;
  for (const auto& each : statements)
    if (!(each == one)) rest.push_back(each);
  return rest;
}

Statements with(Statements statements, const Statement& one) {
  statements.push_back(one);
  return statements;
}

Statement single(const Literal& literal) { return {{literal}, std::string(1, kDot)}; }

Statement join(char symbol, const Statement& first, const Statement& second) {
  Statement whole = first;
  whole.literals.insert(whole.literals.end(), second.literals.begin(), second.literals.end());
  whole.shape += second.shape;
  whole.shape += symbol;
  return whole;
}

namespace {

// The two sides of a statement of several literals.
std::pair<Statement, Statement> split(const Statement& statement) {
  const std::string& shape = statement.shape;
  int missing = 1;
  size_t place = shape.size() - 1;
  while (missing) missing += shape[--place] == kDot ? -1 : 1;
  const auto count = std::count(shape.begin(), shape.begin() + place, kDot);
  const auto middle = statement.literals.begin() + count;
  return {{{statement.literals.begin(), middle}, shape.substr(0, place)},
          {{middle, statement.literals.end()},
           shape.substr(place, shape.size() - 1 - place)}};
}

// All ways to join two literals, negated or not; each xor once.
Statements all_pairs(Literal first, Literal second) {
  Statements found;
  for (const char symbol : {'&', '|'})
    for (const bool one : {false, true})
      for (const bool two : {false, true}) {
        first.negated = one, second.negated = two;
        found.push_back({{first, second}, std::string("..") + symbol});
      }
  for (const bool two : {false, true}) {
    first.negated = false, second.negated = two;
    found.push_back({{first, second}, "..^"});
  }
  return found;
}

}  // namespace

Statement negation(const Statement& statement) {
  if (statement.size() == 1) return single(~statement.literals[0]);
  const auto [first, second] = split(statement);
  const char symbol = statement.shape.back();
  if (symbol == '^') return join('^', first, negation(second));
  return join(symbol == '&' ? '|' : '&', negation(first), negation(second));
}

Statement with_literal(Statement statement, int place, const Literal& literal) {
  statement.literals[place] = literal;
  return statement;
}

Statement grown(const Statement& statement, int end, char symbol, const Literal& literal) {
  const std::string& shape = statement.shape;
  const auto count = std::count(shape.begin(), shape.begin() + end + 1, kDot);
  Statement found = statement;
  found.literals.insert(found.literals.begin() + count, literal);
  found.shape = shape.substr(0, end + 1) + kDot + symbol + shape.substr(end + 1);
  return found;
}

Statements without_literals(const Statement& statement) {
  Statements found;
  if (statement.size() == 1) return found;
  const auto [first, second] = split(statement);
  const char symbol = statement.shape.back();
  for (const auto& smaller : without_literals(first))
    found.push_back(join(symbol, smaller, second));
  if (first.size() == 1) found.push_back(second);
  for (const auto& smaller : without_literals(second))
    found.push_back(join(symbol, first, smaller));
  if (second.size() == 1) found.push_back(first);
  return found;
}

Statements other_joins(const Statement& statement) {
  Statements found;
  if (statement.size() == 2) {
    for (const auto& each : all_pairs(statement.literals[0], statement.literals[1]))
      if (!(each == statement)) found.push_back(each);
  } else if (statement.size() > 2) {
    for (int place = 0; place < statement.size(); ++place)
      found.push_back(with_literal(statement, place, ~statement.literals[place]));
    for (size_t place = 0; place < statement.shape.size(); ++place)
      for (const char other : {'&', '|', '^'})
        if (statement.shape[place] != kDot && other != statement.shape[place]) {
          found.push_back(statement);
          found.back().shape[place] = other;
        }
  }
  return found;
}

}  // namespace kernels
