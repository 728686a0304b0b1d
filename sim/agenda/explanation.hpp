#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// What time may be spent on. For compute to timer (in this order) Blame::who is a rank, for link a link; for
/// latency and unknown it means nothing.
enum class SpentOn : std::uint8_t { compute, delay, reduction, overhead, timer, link, latency, unknown };

struct Blame {
  SpentOn on = SpentOn::unknown;
  std::int32_t who = 0;  // the rank, or the LinkIndex
  double latency_s = 0;  // of the time, that is latency; the rest is spent on what `on` says
  Blame with(double more_latency_s) const { return {on, who, latency_s + more_latency_s}; }
  bool operator==(const Blame&) const = default;
};

/// Finds, on request, the steps behind a result that was evaluated without them.
///
/// An explanation has parts, one after the other in time. A part has layers of width() moments each; its last
/// layer is layer 0 of the next part. Every moment outside layer 0 was caused by one moment of the layer
/// before it, its origin.
class Explanation {
 public:
  /// What an interval of time was spent on. Segments go back in time: each ends when the one before it in
  /// order began, the first one at the moment that it explains.
  struct Segment {
    double end_s;
    double since_s;
    Blame blame;
  };
  /// The origins of moments of a layer, in the order in which they were asked for.
  struct Origins {
    struct Origin {
      std::size_t place;                // of the moment before, in its layer
      std::size_t end_of_segments = 0;  // of this moment
    };
    std::vector<Origin> origins;
    std::vector<Segment> segments;  // what time was spent on since then, the last first
  };

  Explanation() = default;
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;
  virtual ~Explanation() = default;

  virtual std::size_t width() const = 0;
  /// The steps of the run that the first part begins with, which Causes know.
  virtual std::span<const std::uint64_t> begins() const = 0;

  /// The number of parts. To be asked before look_at(), as they may be found out only now.
  virtual int parts() = 0;
  /// From now on trace_back() is about that part. Returns how many layers follow its first.
  virtual std::size_t look_at(int part) = 0;
  /// Adds the origins of the moments at these places of a layer other than layer 0.
  virtual void trace_back(std::size_t layer, std::span<const std::size_t> places, Origins& origins) const = 0;
};

}  // namespace starling
