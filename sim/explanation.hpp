#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// What time may be spent on. Of compute to timer a rank is to blame, of a link that link, of the others
/// nobody.
enum class SpentOn : std::uint8_t { compute, delay, reduction, overhead, timer, link, latency, unknown };

struct Blame {
  SpentOn on = SpentOn::unknown;
  std::int32_t who = 0;  // the rank, or the LinkIndex
  double latency_s = 0;  // of the time, that is latency; the rest is spent on what `on` says
  Blame with(double more_latency_s) const { return {on, who, latency_s + more_latency_s}; }
};

/// Why something ended when it did that was evaluated without its steps: finds these when someone asks.
///
/// It has parts, one after the other, and each part has moments: all begins with the first `width` of them
/// and ends with the last, where those of the next part begin. A moment comes after those that let it come.
class Explanation {
 public:
  using Moment = std::size_t;

  /// From the end of the one before, or from the moment that it is about, back to when it began.
  struct Segment {
    double end_s;
    double since_s;
    Blame blame;
  };

  Explanation() = default;
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;
  virtual ~Explanation() = default;

  virtual std::size_t width() const = 0;
  /// The steps of the run that the first part begins with, which Causes know.
  virtual std::span<const std::uint64_t> begins() const = 0;

  virtual int parts() const = 0;
  /// From now on it is about that part. Returns how many moments it has.
  virtual std::size_t look_at(int part) = 0;
  /// Adds what time was spent on before a moment that the part does not begin with, the last first, back to
  /// the one that is returned.
  virtual Moment trace_back(Moment moment, std::vector<Segment>& segments) const = 0;
};

}  // namespace starling
