#include "analysis/model/neighbor_exchange.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "base/numbers/simultaneous.hpp"
#include "base/types.hpp"

namespace starling {

NeighborExchange::NeighborExchange(ModeledRun& run, const MixingSchedule& mixing, std::int64_t elements)
    : run_(run),
      mixing_(mixing),
      bytes_(static_cast<double>(elements) * run.workload().bytes_per_element),
      begun_s_(index_of(run.ranks()), 0.0),
      first_source_(begun_s_.size() + 1),
      sent_s_(begun_s_) {
  const SmallMessageRules& rules = run.network().rules;
  const bool may_answers_wait = rules.keep_order || (run.are_small(bytes_) && !rules.take_links);
  if (may_answers_wait && bytes_ > run.network().costs.eager_threshold_bytes)
    run.note_estimate("answers of a rendezvous are assumed not to wait behind data of the same connection");
}

void NeighborExchange::send(std::int64_t number, const Moments& begin_s) {
  look_up_sources(number);
  launch_all(number, begin_s);
  share_links_ = have_common_links();
  if (run_.network().rules.take_links)
    queue_on_links();
  else
    share_links();
  note_uses();
  receive_all();
}

void NeighborExchange::look_up_sources(std::int64_t number) {
  sources_.clear();
  for (Rank rank = 0; rank < run_.ranks(); ++rank) {
    mixing_.find_in_neighbors(rank, number, found_);
    sources_.insert(sources_.end(), found_.begin(), found_.end());
    first_source_[index_of(rank) + 1] = sources_.size();
  }
  received_s_.assign(sources_.size(), 0.0);
  takes_several_ = false;
  for (Rank rank = 0; rank < run_.ranks(); ++rank)
    takes_several_ = takes_several_ || sources_of(rank).size() > 1;
  sort_places();
}

void NeighborExchange::sort_places() {
  places_by_rank_.resize(sources_.size());
  std::iota(places_by_rank_.begin(), places_by_rank_.end(), std::size_t{0});
  for (Rank rank = 0; rank < run_.ranks(); ++rank)
    std::ranges::sort(places_of(rank), {}, [this](std::size_t place) { return sources_[place].rank; });
}

std::size_t NeighborExchange::place_of(Rank source, Rank destination) {
  return *std::ranges::lower_bound(places_of(destination), source, {},
                                   [this](std::size_t place) { return sources_[place].rank; });
}

std::span<std::size_t> NeighborExchange::places_of(Rank rank) {
  const std::size_t first = first_source_[index_of(rank)];
  return std::span(places_by_rank_).subspan(first, first_source_[index_of(rank) + 1] - first);
}

void NeighborExchange::note_operations() {
  for (Rank rank = 0; rank < run_.ranks(); ++rank) {
    const std::size_t neighbors = sources_of(rank).size();
    if (neighbors > 0) run_.participation().add_operation(1 + static_cast<int>(neighbors));
  }
}

std::span<const MixingNeighbor> NeighborExchange::sources_of(Rank rank) const {
  const std::size_t first = first_source_[index_of(rank)];
  return std::span(sources_).subspan(first, first_source_[index_of(rank) + 1] - first);
}

void NeighborExchange::launch_all(std::int64_t number, const Moments& begin_s) {
  messages_.clear();
  for (Rank rank = 0; rank < run_.ranks(); ++rank) {
    double launch_s = begin_s[index_of(rank)];
    mixing_.find_out_neighbors(rank, number, found_);
    for (const MixingNeighbor& destination : found_) {
      launch_s += run_.network().costs.overhead_s;
      messages_.push_back(launched(rank, destination.rank, launch_s, begin_s));
      run_.count_messages(1, bytes_, messages_.back().leg.is_rendezvous);
    }
    begun_s_[index_of(rank)] = launch_s;
  }
}

NeighborExchange::Message NeighborExchange::launched(Rank source, Rank destination, double launch_s,
                                                     const Moments& begin_s) {
  const Hop hop = run_.routes().hop(source, destination);
  const Leg leg = run_.routes().leg(bytes_, hop, run_.network().costs.eager_threshold_bytes);
  double ready_s = launch_s;
  if (leg.is_rendezvous)
    ready_s = std::max(launch_s + leg.latency_s, begin_s[index_of(destination)]) + leg.back_latency_s;
  return {.source = source,
          .destination = destination,
          .place = place_of(source, destination),
          .ready_s = ready_s,
          .links = run_.network().routes.route(source, destination),
          .s_per_byte = hop.s_per_byte,
          .leg = leg};
}

/// How long the link takes for the message if it passes nothing else.
double NeighborExchange::transmission_s(const Message& message, LinkIndex index) const {
  return message.leg.transmission_s / (message.s_per_byte * link(index).bandwidth_Bps);
}

bool NeighborExchange::have_common_links() const {
  std::vector<bool> is_used(run_.link_free_s().size(), false);
  for (const Message& message : messages_)
    for (const LinkIndex index : message.links) {
      if (is_used[static_cast<std::size_t>(index)]) return true;
      is_used[static_cast<std::size_t>(index)] = true;
    }
  return false;
}

void NeighborExchange::share_links() {
  std::vector<std::vector<std::size_t>> users(share_links_ ? run_.link_free_s().size() : 0);
  for (const std::size_t index : in_order_of(&Message::ready_s)) {
    Message& message = messages_[index];
    message.gone_s = message.ready_s + message.leg.transmission_s;
    if (message.leg.is_small || !share_links_) continue;
    for (const LinkIndex link : message.links) users[static_cast<std::size_t>(link)].push_back(index);
  }
  for (std::size_t link = 0; link < users.size(); ++link)
    if (users[link].size() > 1) share(static_cast<LinkIndex>(link), users[link]);
  for (Message& message : messages_) message.arrival_s = message.gone_s + message.leg.latency_s;
}

/// Processor sharing of one link among `users`, which are in the order in which they are ready. Progress is
/// the time that each message has been served so far, in seconds of the link alone, if it was there from the
/// beginning.
void NeighborExchange::share(LinkIndex link, const std::vector<std::size_t>& users) {
  using Passing = std::pair<double, std::size_t>;  // the progress at which it has passed, and which
  std::priority_queue<Passing, std::vector<Passing>, std::greater<>> passing;
  double now_s = 0;
  double progress_s = 0;
  const auto pass_until = [&](double time_s) {
    while (!passing.empty()) {
      const auto [end_s, index] = passing.top();
      const double gone_s = now_s + (end_s - progress_s) * static_cast<double>(passing.size());
      if (gone_s > time_s) break;
      now_s = gone_s;
      progress_s = end_s;
      messages_[index].gone_s = std::max(messages_[index].gone_s, gone_s);
      passing.pop();
    }
    if (!passing.empty()) progress_s += (time_s - now_s) / static_cast<double>(passing.size());
    now_s = time_s;
  };
  for (const std::size_t index : users) {
    pass_until(messages_[index].ready_s);
    passing.emplace(progress_s + transmission_s(messages_[index], link), index);
  }
  pass_until(std::numeric_limits<double>::infinity());
}

/// Cut-through: every link serves messages in order, and passes a message's first byte on at once.
void NeighborExchange::queue_on_links() {
  Moments free_s = run_.link_free_s();
  for (const std::size_t index : in_order_of(&Message::ready_s)) {
    Message& message = messages_[index];
    double head_s = message.ready_s;
    if (!message.leg.is_small) {
      for (const LinkIndex passed : message.links) {
        double& free = free_s[static_cast<std::size_t>(passed)];
        head_s = std::max(head_s, free);
        free = head_s + transmission_s(message, passed);
        head_s += link(passed).latency_s;
      }
      message.arrival_s = head_s + message.leg.transmission_s;
    } else {
      message.arrival_s = head_s + message.leg.transmission_s + message.leg.latency_s;
    }
    message.gone_s = message.arrival_s - message.leg.latency_s;
  }
}

/// Notes where messages share links with others of this exchange, or of an earlier one. Fluid flows occupy
/// all links of their routes at once, and do not meet small messages. Messages that go link by link reach
/// each link later by the latencies before it, and are taken to wait for the earlier exchange, whose order is
/// not sure.
void NeighborExchange::note_uses() {
  const bool goes_link_by_link = run_.network().rules.take_links;
  const Moments free_before_s = run_.link_free_s();
  std::vector<bool> is_used(free_before_s.size(), false);
  bool is_shared = false;
  for (const Message& message : messages_) {
    if (message.leg.is_small && !goes_link_by_link) continue;
    double later_s = 0;
    for (const LinkIndex index : message.links) {
      const auto at = static_cast<std::size_t>(index);
      is_shared = is_shared || is_used[at];
      is_used[at] = true;
      if (message.ready_s + later_s < free_before_s[at] * (1 - rounding_of_moments)) {
        run_.note_meeting();
        if (goes_link_by_link)
          run_.note_estimate(
              "messages of an exchange are assumed to wait at links for those of the exchange before");
      }
      run_.link_free_s()[at] = std::max(run_.link_free_s()[at], message.gone_s + later_s);
      if (goes_link_by_link) later_s += link(index).latency_s;
    }
  }
  if (is_shared) run_.note_estimate("neighbors' messages are assumed to share links evenly");
}

/// The messages' indices, sorted by a moment; unsorted where no two share a link or a receiver.
std::vector<std::size_t> NeighborExchange::in_order_of(double Message::*moment) const {
  std::vector<std::size_t> order(messages_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!share_links_ && !takes_several_) return order;
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return messages_[index].*moment; });
  return order;
}

/// A worker's message processor takes its own sends first, and then the arrived messages one by one.
void NeighborExchange::receive_all() {
  const MessageCosts& costs = run_.network().costs;
  Moments processor_s = begun_s_;
  Moments last_arrival_s(begun_s_.size(), -1);
  sent_s_ = begun_s_;
  if (takes_several_ && costs.overhead_s > 0 && costs.reduction_s_per_byte > 0)
    run_.note_order(
        "neighbors' models are assumed to be received in the same order as without the delays left out");
  for (const std::size_t index : in_order_of(&Message::arrival_s)) {
    const Message& message = messages_[index];
    double& free_s = processor_s[index_of(message.destination)];
    const double overhead_s = costs.overhead_s;
    if (takes_several_ && overhead_s > 0) {
      if (message.arrival_s < begun_s_[index_of(message.destination)])
        run_.note_estimate("a worker is assumed to send to all its neighbors before it receives");
      const double before_s = std::exchange(last_arrival_s[index_of(message.destination)], message.arrival_s);
      if (costs.reduction_s_per_byte > 0 && are_simultaneous(before_s, message.arrival_s))
        run_.note_estimate("models that arrive simultaneously are assumed to be received in a certain order");
    }
    free_s = std::max(free_s, message.arrival_s) + overhead_s;
    received_s_[message.place] =
        std::max(free_s, message.arrival_s + message.leg.protocol_latency_s + overhead_s);
    double& sent_s = sent_s_[index_of(message.source)];
    if (message.leg.completion == SendCompletion::at_start) sent_s = std::max(sent_s, message.ready_s);
    if (message.leg.completion == SendCompletion::at_departure)
      sent_s = std::max(sent_s, message.gone_s - message.leg.buffered_s);
    if (message.leg.completion == SendCompletion::at_arrival) sent_s = std::max(sent_s, message.arrival_s);
  }
}

Moments NeighborExchange::complete(const Moments& from_s) const {
  const double reduction_s = bytes_ * run_.network().costs.reduction_s_per_byte;
  Moments end_s = later_of(from_s, begun_s_);
  for (std::size_t rank = 0; rank < end_s.size(); ++rank) {
    for (std::size_t place = first_source_[rank]; place < first_source_[rank + 1]; ++place)
      end_s[rank] = std::max(end_s[rank], received_s_[place]) + reduction_s;
    end_s[rank] = std::max(end_s[rank], sent_s_[rank]);
  }
  return end_s;
}

}  // namespace starling
