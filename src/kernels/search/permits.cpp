#include "permits.h"

#include <algorithm>

namespace kernels {

namespace {

// In which direction each literal's column acts on a statement: 1, -1, or 0 for both.
std::vector<int> directions(const Statement& statement) {
  std::vector<int> signs;
  std::vector<size_t> firsts;  // the place of each part's first literal
  for (const char symbol : statement.shape) {
    if (symbol == kDot) {
      firsts.push_back(signs.size());
      signs.push_back(statement.literals[signs.size()].negated ? -1 : 1);
      continue;
    }
    firsts.pop_back();
    if (symbol == '^') std::fill(signs.begin() + firsts.back(), signs.end(), 0);
  }
  return signs;
}

}  // namespace

bool Permits::allows(const Statement& statement) const {
  const auto uses = [&](const char* symbols) {
    return statement.shape.find_first_of(symbols) != std::string::npos;
  };
  if ((!with_xor && uses("^")) || (!with_and_or && uses("&|"))) return false;
  if (pairs.empty()) return true;
  const size_t columns = rises.size() / outputs;
  for (const auto& one : statement.literals)
    for (const auto& other : statement.literals)
      if (!pairs[one.feature * columns + other.feature]) return false;
  return true;
}

bool Permits::allows(const Statement& statement, size_t output, int vote) const {
  if (!allows(statement)) return false;
  if (rises.empty()) return true;
  const auto signs = directions(statement);
  // A column that stands there twice may act in both directions, as under an exclusive or.
  for (size_t at = 0; at < signs.size(); ++at) {
    const size_t place = statement.literals[at].feature * outputs + output;
    const bool rising = signs[at] * vote >= 0, falling = signs[at] * vote <= 0;
    if ((rising && !rises[place]) || (falling && !falls[place])) return false;
  }
  return true;
}

}  // namespace kernels
