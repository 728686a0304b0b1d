#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/modeled_run.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Models that all workers send to their neighbors, as in NeighborAveraging and PushSum.
///
/// Messages of one exchange that pass the same link share it: on the fair network evenly, each link by
/// itself, on the event network in the order in which they are ready. With k neighbors each on a star that is
/// what happens, however uneven workers are, if messages do not wait for their receivers; elsewhere it is an
/// estimate, as a message that is held up on one link leaves more of the others to its neighbors.
class NeighborExchange {
 public:
  /// Of so many elements. All that it refers to must outlive it.
  NeighborExchange(ModeledRun& run, const MixingSchedule& mixing, std::int64_t elements);

  /// Every rank sends to its neighbors of that number, from `begin_s` on.
  void send(std::int64_t number, const Moments& begin_s);
  /// Counts what was sent as an average of each rank with its neighbors, if it has any.
  void note_operations();
  /// When each rank has launched its messages.
  const Moments& launched_s() const { return begun_s_; }
  /// When each rank has added up what it was sent, if it comes to that at `from_s`, and its messages have
  /// left.
  Moments complete(const Moments& from_s) const;

 private:
  struct Message {
    Rank source;
    Rank destination;
    std::size_t place;  // where what the destination takes is kept
    double ready_s;     // its receiver is
    double gone_s = 0;
    double arrival_s = 0;
    std::span<const LinkIndex> links;
    double s_per_byte;  // of the slowest of them
    Leg leg;
  };

  void look_up_sources(std::int64_t number);
  void sort_places();
  /// Where what a rank takes of another one is kept. O(log(neighbors)).
  std::size_t place_of(Rank source, Rank destination);
  std::span<std::size_t> places_of(Rank rank);
  void launch_all(std::int64_t number, const Moments& begin_s);
  Message launched(Rank source, Rank destination, double launch_s, const Moments& begin_s);
  bool have_common_links() const;
  void share_links();
  void share(LinkIndex link, const std::vector<std::size_t>& users);
  void queue_on_links();
  void note_uses();
  void receive_all();
  std::vector<std::size_t> in_order_of(double Message::*moment) const;
  const Link& link(LinkIndex index) const {
    return run_.network().routes.links()[static_cast<std::size_t>(index)];
  }
  double transmission_s(const Message& message, LinkIndex index) const;
  /// What a rank takes: places first_source_[rank] … first_source_[rank + 1] − 1.
  std::span<const MixingNeighbor> sources_of(Rank rank) const;

  ModeledRun& run_;
  const MixingSchedule& mixing_;
  double bytes_;
  Moments begun_s_;  // when each rank's messages were launched
  std::vector<Message> messages_;
  bool share_links_ = false;             // some of them do
  bool takes_several_ = false;           // some rank does
  std::vector<MixingNeighbor> sources_;  // of all ranks, of each in the order in which it takes them,
  std::vector<std::size_t> first_source_;
  std::vector<std::size_t> places_by_rank_;  // of what each rank takes, by whose it is
  Moments received_s_;                       // and when each of those has been received
  Moments sent_s_;                           // when each rank's sends are complete
  std::vector<MixingNeighbor> found_;
};

}  // namespace starling
