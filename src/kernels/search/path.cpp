#include "path.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>
#include <unordered_map>

namespace kernels {

namespace {

// A change has to gain this much, in the loss of one row; less is a matter of rounding.
constexpr double kLeastGain = 1e-6;
// Up to this size every statement is exchanged; of larger rules, only the last one.
constexpr int kThorough = 12;
// How often statements are exchanged.
constexpr int kExchanges = 5;
// A literal has to gain this much, or the path ends.
constexpr double kLiteralGain = 0.3;
// How much worse smaller rules may be than the best of their size, to be improved.
constexpr double kWorthIt = 2.0;
// What moving a cut to where rows say it should be has to gain: so much, or so much a row that
// changes sides.
constexpr double kClearGain = 12.0, kRowGain = 2.0;

bool is_better(const Found& one, const Found& other) {
  const double loss = rounded(one.loss), its = rounded(other.loss);
  return std::tie(loss, one.statements) < std::tie(its, other.statements);
}

class Path {
 public:
  Path(Objective& objective, int ways)
      : objective_(objective), screening_(objective.rows), ways_(ways) {
    best_[0] = {objective.loss({}), {}};
  }

  // Find rules of a size from smaller ones, by a statement more or a literal more.
  void reach(int size) {
    std::vector<Found> ways;
    const auto append = [&](const std::vector<Found>& more) {
      ways.insert(ways.end(), more.begin(), more.end());
    };
    for (int own = 1; own <= objective_.screened; ++own)
      if (best_.count(size - own)) append(add(best_[size - own].statements, own, INFINITY));
    if (best_.count(size - 1) && size <= kThorough) {
      const Statements smaller = best_[size - 1].statements;
      for (const auto& each : smaller)
        if (each.size() == 1)
          append(add(without(smaller, each), 2, INFINITY));
        else if (each.size() < objective_.longest)
          append(change(smaller, each, true, INFINITY));
    }
    std::stable_sort(ways.begin(), ways.end(), is_better);
    const size_t followed = size <= kThorough ? ways_ : 1;
    for (size_t at = 0; at < std::min(followed, ways.size()); ++at)
      keep_if_better(improve(ways[at], size <= kThorough));
  }

  // Whether the last literals gained nothing.
  bool has_ended(int size) const {
    const int last = best_.rbegin()->first;
    auto before = best_.upper_bound(size - 3);
    if (before == best_.begin()) return false;
    --before;
    if (last < size - 1) return true;
    const double gained = before->second.loss - best_.rbegin()->second.loss;
    return gained < kLiteralGain * (last - before->first);
  }

  // Try all rules without each of their statements, the largest first.
  void shrink() {
    std::vector<int> sizes;
    for (const auto& each : best_) sizes.push_back(each.first);
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
      if (*size > kThorough + 2) continue;
      const Statements statements = best_[*size].statements;
      for (const auto& each : statements) {
        const Statements rest = without(statements, each);
        try_smaller(rest);
        if (each.size() > 2)
          for (const auto& smaller : without_literals(each)) try_smaller(with(rest, smaller));
      }
    }
  }

  std::map<int, Found> best() const { return best_; }

 private:
  void keep_if_better(const Found& found) {
    const auto known = best_.find(size_of(found.statements));
    if (known == best_.end() || found.loss < known->second.loss - kLeastGain)
      best_[size_of(found.statements)] = found;
  }

  void try_smaller(const Statements& rest) {
    if (rest.empty()) return;
    const double loss = objective_.loss(rest);
    const auto known = best_.find(size_of(rest));
    if (known == best_.end() || loss < known->second.loss + kWorthIt)
      keep_if_better(improve({loss, rest}, true));
  }

  // The best statement of a size beside others, if one has a loss below the limit: one or none.
  std::vector<Found> add(const Statements& rest, int size, double limit) {
    auto& known = added_[{numbers_of(rest), size}];
    if (known.best.empty() && known.limit < limit) {  // the same are met on many ways
      const Slope slope = objective_.slope(rest);
      const Statements options = screening_.promising(slope, size);
      known.best = choose(rest, objective_.oriented(options, rest), {}, limit);
      known.limit = limit;
    }
    if (known.best.empty()) return {};
    const Found& best = known.best[0];
    return {{best.loss, with(rest, best.statements.back())}};
  }

  // The best statement that one of them grows to, or becomes by exchanging a literal.
  std::vector<Found> change(const Statements& statements, const Statement& one, bool grow,
                            double limit) {
    const Statements rest = without(statements, one);
    const Slope slope = objective_.slope(rest);
    const Statements options = screening_.promising_changes(slope, one, grow);
    return choose(rest, objective_.oriented(options, rest), {}, limit);
  }

  // The option or cut of the least loss beside others; none if that is not below the limit.
  std::vector<Found> choose(const Statements& rest, const Statements& options,
                            const std::vector<Scan>& scans, double limit) {
    const Statements sensible = objective_.rows.sensible(options, rest);
    const bool scanned = std::any_of(scans.begin(), scans.end(),
                                     [](const Scan& each) { return each.any_allowed(); });
    if (sensible.empty() && !scanned) return {};
    std::vector<double> losses = objective_.losses(rest, sensible, scans, {}, limit);
    double least = INFINITY;
    for (double& each : losses) least = std::min(least, each = rounded(each));
    if (!(least < limit)) return {};
    std::vector<Statement> best;
    const auto offer = [&](Statement each) {
      if (best.empty()) best.push_back(std::move(each));
      else if (each < best[0]) best[0] = std::move(each);
    };
    size_t at = 0;
    for (const auto& each : sensible)
      if (losses[at++] == least) offer(each);
    for (const auto& scan : scans)
      for (size_t cut = 0; cut < scan.size(); ++cut)
        if (losses[at++] == least) offer(scan.with_cut(cut));
    return {{least, with(rest, best[0])}};
  }

  // Move cuts and exchange statements until nothing helps.
  Found improve(Found found, bool thorough) {
    found = move_cuts(found, thorough ? found.statements : Statements{found.statements.back()});
    for (int turn = 0; turn < (thorough ? kExchanges : 0); ++turn) {
      std::vector<Found> ways;
      for (const auto& each : found.statements)
        for (const auto& way : exchange(found.statements, each, found.loss))
          if (way.loss < found.loss - kLeastGain) ways.push_back(way);
      if (ways.empty()) break;
      const Found best = *std::min_element(ways.begin(), ways.end(), is_better);
      found = move_cuts(best, best.statements);
    }
    return found;
  }

  // The statements with another one of the same size, if that is below the limit.
  std::vector<Found> exchange(const Statements& statements, const Statement& one, double limit) {
    std::vector<Found> ways;
    if (one.size() <= objective_.screened)
      ways = add(without(statements, one), one.size(), limit);
    if (one.size() > 2)
      for (const auto& way : change(statements, one, false, limit)) ways.push_back(way);
    return ways;
  }

  // Move cuts and change operators one by one, as long as that helps.
  Found move_cuts(Found found, Statements statements) {
    std::deque<Statement> waiting(statements.begin(), statements.end());
    while (!waiting.empty()) {
      const Statement statement = waiting.front();
      waiting.pop_front();
      const Statements rest = without(found.statements, statement);
      Statements joins;
      for (const auto& each : other_joins(statement))
        if (objective_.is_permitted(each)) joins.push_back(each);
      std::vector<Scan> scans;
      for (int place = 0; place < statement.size(); ++place)
        scans.push_back(objective_.rows.scan(statement, place, rest));
      for (const auto& best : choose(rest, joins, scans, found.loss))
        if (best.loss < found.loss - kLeastGain) {
          Statements others;
          for (const auto& each : rest)
            if (std::find(statements.begin(), statements.end(), each) != statements.end())
              others.push_back(each);
          statements = with(others, best.statements.back());
          waiting.assign(statements.begin(), statements.end());
          found = best;
        }
    }
    return found;
  }

  // The statements as numbers, whatever their order.
  std::vector<size_t> numbers_of(const Statements& statements) {
    std::vector<size_t> found;
    for (const auto& each : statements)
      found.push_back(numbers_.emplace(each, numbers_.size()).first->second);
    std::sort(found.begin(), found.end());
    return found;
  }

  // The best statement of a size beside others, and below which limit it was looked for.
  struct Added {
    double limit = -INFINITY;
    std::vector<Found> best;
  };

  Objective& objective_;
  Screening screening_;
  int ways_;
  std::map<int, Found> best_;
  std::map<std::pair<std::vector<size_t>, int>, Added> added_;
  std::unordered_map<Statement, size_t, Hash> numbers_;
};

// How much the rows weigh on which a cut changes what the statement counts.
std::vector<double> changed(const Scan& scan, const std::vector<double>& weights) {
  const auto& cuts = scan.column->cuts;
  std::vector<double> up_to(cuts.size() + 1);
  for_each_row(differing(scan.above, scan.below),
               [&](size_t row) { up_to[scan.column->ranks[row]] += weights[row]; });
  for (size_t at = 1; at < up_to.size(); ++at) up_to[at] += up_to[at - 1];
  const double own = scan.statement.literals[scan.place].cut;
  const auto place = std::upper_bound(cuts.begin(), cuts.end(), own) - cuts.begin() - 1;
  const double before = place >= 0 ? up_to[place] : 0.0;
  std::vector<double> found;
  for (size_t at = 0; at < cuts.size(); ++at) found.push_back(std::abs(up_to[at] - before));
  return found;
}

}  // namespace

std::map<int, Found> follow_path(Objective& objective, int most, int ways) {
  Path path(objective, ways);
  for (int size = 1; size <= most; ++size) {
    path.reach(size);
    if (size > objective.screened && path.has_ended(size)) break;
  }
  path.shrink();
  return path.best();
}

bool move_to_rows(Objective& unsmoothed, const Statements& rest, const Statement& statement,
                  const std::vector<std::uint8_t>& movable, int& place, double& cut) {
  std::vector<Scan> scans;
  std::vector<std::vector<double>> needed;
  for (int at = 0; at < statement.size(); ++at) {
    Scan scan;
    if (!movable[statement.literals[at].feature] ||
        !unsmoothed.rows.scan_near(statement, at, rest, scan))
      continue;
    needed.push_back(changed(scan, unsmoothed.rows.weights()));
    for (double& each : needed.back()) each = std::min(kClearGain, kRowGain * each);
    scans.push_back(std::move(scan));
  }
  if (scans.empty()) return false;
  const double own = rounded(unsmoothed.losses(rest, {statement}, {}, {}, INFINITY)[0]);
  const auto losses = unsmoothed.losses(rest, {}, scans, needed, own);
  double least = INFINITY;
  size_t flat = 0;
  for (const auto& scan : scans)
    for (size_t at = 0; at < scan.size(); ++at) {
      const double loss = rounded(losses[flat++]);
      if (loss < least) least = loss, place = scan.place, cut = scan.column->cuts[at];
    }
  return least < own;
}

}  // namespace kernels
