#include "sim/networks/simgrid/simgrid_network.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <deque>
#include <set>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/numbers/pair_of.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"

/// SimGrid's clock, which has no public function to reset it. A second engine would continue at the time at
/// which the first one stopped, and the rounding of a run's times would then depend on earlier runs.
extern double simgrid_clock_s __asm__("_ZN7simgrid6kernel10EngineImpl4now_E");

namespace starling {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;

/// The corrections of a model, used where SimGridOptions leaves them open.
struct Corrections {
  double latency_factor;
  double bandwidth_factor;
  double weight_s_bytes;
};

Corrections corrections_of(const SimGridOptions& options) {
  Corrections corrections = {1, 1, 0};
  if (options.model == "LV08") corrections = {13.01, 0.97, 20537};
  corrections.latency_factor = options.latency_factor.value_or(corrections.latency_factor);
  corrections.bandwidth_factor = options.bandwidth_factor.value_or(corrections.bandwidth_factor);
  corrections.weight_s_bytes = options.weight_s_bytes.value_or(corrections.weight_s_bytes);
  return corrections;
}

/// Rejects links with which SimGrid would fail. SimGrid treats the share of a transfer, the reciprocal of
/// its sharing penalty, as zero unless it is above the precision of rates, and then finds a link that no
/// transfer shares.
void require_link(const Link& link, double weight_s_bytes, double rate_precision) {
  constexpr double least_latency_s = 1e-300;  // whose reciprocal is finite
  constexpr double links_of_longest_route = 100;
  const double penalty_s = link.latency_s + weight_s_bytes / link.bandwidth_Bps;
  const double greatest_s = 1 / (rate_precision * links_of_longest_route);
  if (link.latency_s != 0 && link.latency_s < least_latency_s)
    reject("simgrid takes a latency of 0 or at least {} s, not {} s", least_latency_s, link.latency_s);
  if (penalty_s > greatest_s)
    reject(
        "simgrid with a rate_precision of {} takes links whose latency, with weight_s over their "
        "bandwidth, is at most {} s, not {} s",
        rate_precision, greatest_s, penalty_s);
}

/// Rejects more links than the stack permits: SimGrid visits links that share transfers recursively.
void require_stack(std::size_t links) {
  constexpr std::size_t bytes_of_call = 128;  // 96 in SimGrid 3.32
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY) return;
  const std::size_t most = stack.rlim_cur / bytes_of_call;
  if (links > most)
    reject(
        "simgrid takes at most {} links on a stack of {} bytes (see ulimit -s), but the network has {}; the "
        "engines fair, event and tcp take any number",
        most, static_cast<std::size_t>(stack.rlim_cur), links);
}

/// Starts SimGrid at time 0, and removes the handler of segmentation faults that SimGrid installs.
std::unique_ptr<s4u::Engine> make_engine(const SimGridOptions& options) {
  std::array<std::string, 5> arguments = {"starling", "--log=root.thres:critical",
                                          "--cfg=debug/verbose-exit:no", "--cfg=network/model:CM02",
                                          "--cfg=network/TCP-gamma:0"};
  std::array<char*, 6> argv = {};
  std::ranges::transform(arguments, argv.begin(), [](std::string& text) { return text.data(); });
  int argc = static_cast<int>(arguments.size());

  struct sigaction handler = {};
  sigaction(SIGSEGV, nullptr, &handler);
  simgrid_clock_s = 0;
  auto engine = std::make_unique<s4u::Engine>(&argc, argv.data());
  sigaction(SIGSEGV, &handler, nullptr);
  s4u::Engine::set_config("network/crosstraffic", options.cross_traffic);
  s4u::Engine::set_config("surf/precision", options.time_precision_s);
  s4u::Engine::set_config("maxmin/precision", options.rate_precision);
  return engine;
}

/// A SimGrid network without latencies, whose routes are looked up in `routes` on demand; none is stored.
class RoutesZone final : public NetZoneImpl {
 public:
  explicit RoutesZone(const Routes& routes) : NetZoneImpl("starling"), routes_(routes) {
    for (Rank rank = 0; rank < routes.workers(); ++rank) hosts_.push_back(make_host(rank));
    links_.reserve(routes.links().size());
    for (const Link& link : routes.links()) links_.push_back(make_link(link));
    seal();
  }

  s4u::Host* host(Rank rank) const { return hosts_[static_cast<std::size_t>(rank)]; }

 private:
  s4u::Host* make_host(Rank rank) {
    constexpr double unused_speed = 1;
    s4u::Host* host = create_host(fmt::format("worker{}", rank), {unused_speed});
    STARLING_INVARIANT(host->get_netpoint()->id() == static_cast<unsigned long>(rank));
    host->seal();
    return host;
  }

  StandardLinkImpl* make_link(const Link& link) {
    s4u::Link* made = create_link(fmt::format("link{}", links_.size()), {link.bandwidth_Bps});
    made->set_latency(0);
    made->seal();
    return made->get_impl();
  }

  void get_local_route(const NetPoint* from, const NetPoint* to, simgrid::kernel::routing::Route* into,
                       double*) override {
    for (const LinkIndex link : routes_.route(static_cast<Rank>(from->id()), static_cast<Rank>(to->id()))) {
      into->link_list_.push_back(links_[static_cast<std::size_t>(link)]);
    }
  }

  const Routes& routes_;
  std::vector<s4u::Host*> hosts_;
  std::vector<StandardLinkImpl*> links_;
};

}  // namespace

/// The engine of one run and its transfers. At most one exists at a time.
class SimGridNetwork::Impl {
 public:
  Impl(const Routes& routes, const SimGridOptions& options, Scheduler& scheduler)
      : routes_(routes),
        corrections_(corrections_of(options)),
        tcp_gamma_bytes_(options.tcp_gamma_bytes),
        scheduler_(scheduler),
        engine_(make_engine(options)),
        zone_(*new RoutesZone(routes)) {
    engine_->seal_platform();
    for (simgrid::kernel::resource::Model* model : engine_->get_all_models()) {
      if (dynamic_cast<simgrid::kernel::resource::NetworkModelIntf*>(model)) flow_model_ = model;
    }
    STARLING_INVARIANT(flow_model_ != nullptr);
    [[maybe_unused]] static const bool is_connected = connect();
    running_ = this;
  }

  ~Impl() {
    running_ = nullptr;
    for (Flow& flow : flows_) {
      if (flow.communication) flow.communication->cancel();
    }
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// The transfer begins to flow once its latency is over.
  void start(Transfer& transfer) {
    Head& head = SimGridNetwork::make_state<Head>(transfer, *this, transfer, connection_of(transfer));
    scheduler_.at(scheduler_.now() + head.connection.latency_s, head);
  }

  /// While nothing flows SimGrid's clock may lag behind; the next flow makes it catch up.
  double advance(double limit_s) {
    if (flowing_ == 0) return limit_s;
    run_until(limit_s);
    if (ended_.empty()) return limit_s;
    const double time_s = std::clamp(simgrid_clock_s, scheduler_.now(), limit_s);
    scheduler_.reach(time_s);
    deliver();
    return time_s;
  }

 private:
  struct Connection;

  /// A message that does not flow yet. It is on the agenda for the end of its latency.
  struct Head final : TimedAction {
    Head(Impl& of, Transfer& what, Connection& way) : impl(of), transfer(what), connection(way) {}
    void happen() override { impl.flow(*this); }

    Impl& impl;
    Transfer& transfer;
    Connection& connection;
    Head* next = nullptr;  // in the queue of its connection
  };

  /// A connection from one worker to another, whose messages flow one at a time, in order.
  struct Connection {
    double latency_s = 0;
    double sharing_penalty = 0;
    double rate_limit_Bps = 0;
    bool is_busy = false;
    Head* first_waiting = nullptr;
    Head* last_waiting = nullptr;
  };

  struct Flow {
    s4u::CommPtr communication;  // null unless the flow is active
    Transfer* transfer = nullptr;
    Connection* connection = nullptr;
    std::uint64_t number = 0;
  };

  /// Registers one callback for all engines, as SimGrid keeps callbacks from one engine to the next.
  static bool connect() {
    s4u::Comm::on_completion_cb([](const s4u::Activity& activity) {
      if (running_) running_->completed(static_cast<const s4u::Comm&>(activity));
    });
    return true;
  }

  void completed(const s4u::Comm& communication) {
    Flow& flow = *communication.get_data<Flow>();
    ended_.push_back(&flow);
    if (reasons_to_stop_.empty()) reasons_to_stop_.insert(flow.communication.get());
  }

  Connection& connection_of(const Transfer& transfer) {
    const auto [place, is_new] = connections_.try_emplace(pair_of(transfer.source, transfer.destination));
    if (is_new) place->second = make_connection(transfer.source, transfer.destination);
    return place->second;
  }

  /// The latency, weight and rate limit of SimGrid's CM02 for a transfer over this route. A route without
  /// latency gets the greatest weight here; in SimGrid it gets the least, as if its latency were a second.
  Connection make_connection(Rank source, Rank destination) const {
    const std::span<const LinkIndex> route = routes_.route(source, destination);
    const auto [latency_s, least_bandwidth_Bps, slowest] = routes_.summary(route);
    double penalty_s = latency_s;
    for (const LinkIndex index : route)
      penalty_s +=
          corrections_.weight_s_bytes / routes_.links()[static_cast<std::size_t>(index)].bandwidth_Bps;
    Connection connection;
    connection.latency_s = corrections_.latency_factor * latency_s;
    constexpr double penalty_without_any_s = 1e-9;
    connection.sharing_penalty = penalty_s > 0 ? penalty_s : penalty_without_any_s;
    connection.rate_limit_Bps = tcp_gamma_bytes_ > 0 && latency_s > 0
                                    ? std::min(least_bandwidth_Bps, tcp_gamma_bytes_ / (2 * latency_s))
                                    : least_bandwidth_Bps;
    return connection;
  }

  /// SimGrid counts whole bytes.
  static std::uint64_t bytes_of(const Transfer& transfer) {
    return static_cast<std::uint64_t>(std::llround(transfer.bytes));
  }

  /// Lets a message flow, at once or behind the earlier ones of its connection. An empty message does not
  /// flow and is not delayed by others.
  void flow(Head& head) {
    if (bytes_of(head.transfer) == 0) return head.transfer.arrived();
    Connection& connection = head.connection;
    (connection.first_waiting ? connection.last_waiting->next : connection.first_waiting) = &head;
    connection.last_waiting = &head;
    if (!connection.is_busy) serve(connection);
  }

  /// Begins the next message of a connection, if there is one.
  void serve(Connection& connection) {
    connection.is_busy = connection.first_waiting != nullptr;
    if (!connection.is_busy) return;
    Head& head = *std::exchange(connection.first_waiting, connection.first_waiting->next);
    begin(connection, head.transfer);
  }

  void begin(Connection& connection, Transfer& transfer) {
    run_until(scheduler_.now());
    Flow& flow = take_flow();
    flow.transfer = &transfer;
    flow.connection = &connection;
    flow.number = begun_++;
    flow.communication =
        s4u::Comm::sendto_init(zone_.host(transfer.source), zone_.host(transfer.destination));
    flow.communication->set_payload_size(bytes_of(transfer));
    flow.communication->set_data(&flow);
    flow.communication->start();
    ++flowing_;

    // SimGrid has appended the action that it just started to its list.
    simgrid::kernel::resource::Action& action = flow_model_->get_started_action_set()->back();
    action.set_sharing_penalty(connection.sharing_penalty);
    action.set_bound(connection.rate_limit_Bps);
    action.set_rate_factor(corrections_.bandwidth_factor);
  }

  /// Runs SimGrid until limit_s, or until the first moment at which a flow ended. SimGrid stops when a
  /// vetoed activity is reported, so completed() reports the first flow that ended as one. SimGrid also
  /// stops up to 10 µs early, hence the loop.
  void run_until(double limit_s) {
    constexpr double no_limit = -1;
    while (ended_.empty() && simgrid_clock_s < limit_s) {
      engine_->track_vetoed_activities(&reasons_to_stop_);
      engine_->run_until(std::isinf(limit_s) ? no_limit : limit_s);
      engine_->track_vetoed_activities(nullptr);
      reasons_to_stop_.clear();
      if (std::isinf(limit_s)) return;
    }
  }

  /// Delivers the ended transfers; those that ended at the same moment, in the order in which they began to
  /// flow.
  void deliver() {
    std::vector<Flow*> ended = std::exchange(ended_, {});
    std::ranges::sort(ended, {}, &Flow::number);
    for (Flow* flow : ended) {
      Transfer& transfer = *flow->transfer;
      Connection& connection = *flow->connection;
      flow->communication.reset();
      unused_flows_.push_back(flow);
      --flowing_;
      transfer.arrived();
      serve(connection);
    }
  }

  Flow& take_flow() {
    if (unused_flows_.empty()) return flows_.emplace_back();
    Flow& flow = *unused_flows_.back();
    unused_flows_.pop_back();
    return flow;
  }

  static Impl* running_;

  const Routes& routes_;
  Corrections corrections_;
  double tcp_gamma_bytes_;
  Scheduler& scheduler_;
  std::unique_ptr<s4u::Engine> engine_;
  RoutesZone& zone_;                                        // owned by the engine,
  simgrid::kernel::resource::Model* flow_model_ = nullptr;  // as is this
  std::set<s4u::Activity*> reasons_to_stop_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::deque<Flow> flows_;
  std::vector<Flow*> unused_flows_;
  std::vector<Flow*> ended_;
  std::uint64_t begun_ = 0;
  std::int64_t flowing_ = 0;
};

SimGridNetwork::Impl* SimGridNetwork::Impl::running_ = nullptr;
SimGridNetwork* SimGridNetwork::attached_ = nullptr;

SimGridNetwork::SimGridNetwork(const Routes& routes, const SimGridOptions& options)
    : routes_(routes), options_(options) {
  check_options("simgrid", [&](OptionVisitor& visitor) { describe(options_, visitor); });
  for (const Link& link : routes.links())
    require_link(link, corrections_of(options).weight_s_bytes, options.rate_precision);
  require_stack(routes.links().size());
}

SimGridNetwork::~SimGridNetwork() {
  if (attached_ == this) attached_ = nullptr;
}

void SimGridNetwork::attach(Scheduler& scheduler) {
  if (attached_) attached_->impl_.reset();
  attached_ = this;
  impl_ = std::make_unique<Impl>(routes_, options_, scheduler);
}

void SimGridNetwork::start(Transfer& transfer) {
  STARLING_INVARIANT(impl_ && transfer.source != transfer.destination);
  STARLING_INVARIANT(transfer.bytes >= 0 && transfer.bytes < 0x1p63);
  impl_->start(transfer);
  if (transfer.bytes <= transfer.buffered_bytes && std::isfinite(transfer.buffered_bytes)) transfer.left();
}

double SimGridNetwork::advance(double limit_s) {
  STARLING_INVARIANT(impl_);
  return impl_->advance(limit_s);
}

}  // namespace starling

/// The entry point of the module, for load_simgrid_network(). The caller owns the result.
extern "C" starling::NetworkModel* starling_make_simgrid_network(const starling::Routes& routes,
                                                                 const starling::SimGridOptions& options) {
  return new starling::SimGridNetwork(routes, options);
}
