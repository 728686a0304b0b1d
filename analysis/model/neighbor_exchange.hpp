#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/modeled_run.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// An exchange in which all workers send their models to their neighbors, as in NeighborAveraging and
/// PushSum.
///
/// Messages of one exchange share the links that they have in common: on the fair network evenly, each link
/// independently of the others; on the event network in the order in which they are ready. With k neighbors
/// each on a star this is exact, however uneven workers are, if messages do not wait for their receivers;
/// elsewhere it is an estimate, as a message that is held up on one link leaves more of the other links of
/// its route to the messages it shares them with.
class NeighborExchange {
 public:
  /// Models of so many elements. All that it refers to must outlive it.
  NeighborExchange(ModeledRun& run, const MixingSchedule& mixing, std::int64_t elements);

  /// Every rank sends its model to its neighbors in exchange `number` of the mixing schedule, from `begin_s`
  /// on.
  void send(std::int64_t number, const Moments& begin_s);
  /// Records the exchange as an average of each rank with its neighbors, if it has any.
  void note_operations();
  /// When each rank has launched its messages.
  const Moments& launched_s() const { return begun_s_; }
  /// When each rank has received and added its neighbors' models, which it begins at `from_s`, and its own
  /// sends are complete.
  Moments complete(const Moments& from_s) const;

 private:
  struct Message {
    Rank source;
    Rank destination;
    std::size_t place;  // its index in sources_ and received_s_
    double ready_s;     // when its bytes may enter the first link
    double gone_s = 0;  // when its last byte has left its links, without their latency
    double arrival_s = 0;
    std::span<const LinkIndex> links;
    double s_per_byte;  // of the slowest of them
    Leg leg;
  };

  void look_up_sources(std::int64_t number);
  void sort_places();
  /// The place of the message from one rank to another. O(log(neighbors)).
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
  /// The neighbors that a rank receives from: places first_source_[rank] … first_source_[rank + 1] − 1.
  std::span<const MixingNeighbor> sources_of(Rank rank) const;

  ModeledRun& run_;
  const MixingSchedule& mixing_;
  double bytes_;
  Moments begun_s_;  // when each rank's messages were launched
  std::vector<Message> messages_;
  bool share_links_ = false;                 // whether any two messages have a link in common
  bool takes_several_ = false;               // whether any rank receives more than one message
  std::vector<MixingNeighbor> sources_;      // rank by rank, in the order in which it adds them
  std::vector<std::size_t> first_source_;    // each rank's first place in sources_
  std::vector<std::size_t> places_by_rank_;  // each rank's places, sorted by the sending rank
  Moments received_s_;                       // by place: when that message has been received
  Moments sent_s_;                           // when each rank's sends are complete
  std::vector<MixingNeighbor> found_;
};

}  // namespace starling
