#include "sim/simgrid_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/errors.hpp"

/// SimGrid's clock. It has no public way back to 0, and a second engine would go on where the first one
/// stopped: the rounding of a run's times would then depend on the runs before it.
extern double simgrid_clock_s __asm__("_ZN7simgrid6kernel10EngineImpl4now_E");

namespace starling {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;

constexpr std::array<std::string_view, 3> models = {"CM02", "LV08", "SMPI"};

/// The options that SimGrid was started with: it takes them once per process.
std::optional<SimGridOptions>& options_of_process() {
  static std::optional<SimGridOptions> options;
  return options;
}

/// What a model prescribes where SimGridOptions leaves it open.
struct Corrections {
  double latency_factor;
  double bandwidth_factor;
  double weight_s_bytes;
};

bool has_factor_table(const SimGridOptions& options) { return options.model == "SMPI"; }

Corrections corrections_of(const SimGridOptions& options) {
  Corrections corrections = {1, 1, 0};
  if (options.model == "LV08") corrections = {13.01, 0.97, 20537};
  if (has_factor_table(options)) corrections.weight_s_bytes = 8775;
  corrections.latency_factor = options.latency_factor.value_or(corrections.latency_factor);
  corrections.bandwidth_factor = options.bandwidth_factor.value_or(corrections.bandwidth_factor);
  corrections.weight_s_bytes = options.weight_s_bytes.value_or(corrections.weight_s_bytes);
  return corrections;
}

void require(bool condition, const char* option, double value, const char* accepted) {
  if (!condition)
    throw std::invalid_argument(fmt::format("simgrid {} {} must be {}", option, value, accepted));
}

void require_valid(const SimGridOptions& options) {
  if (std::find(models.begin(), models.end(), options.model) == models.end()) {
    throw std::invalid_argument(
        fmt::format("no simgrid model '{}'; there are {}", options.model, fmt::join(models, ", ")));
  }
  if (has_factor_table(options) && (options.latency_factor || options.bandwidth_factor)) {
    throw std::invalid_argument(
        fmt::format("simgrid model {} has its own factors by message size; leave latency_factor and "
                    "bandwidth_factor out, or choose CM02",
                    options.model));
  }
  const Corrections corrections = corrections_of(options);
  const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto is_not_negative = [](double value) { return value >= 0 && std::isfinite(value); };
  const char* positive = "finite and above 0";
  const char* not_negative = "finite and at least 0";
  require(is_not_negative(options.tcp_gamma_bytes), "tcp_gamma_bytes", options.tcp_gamma_bytes, not_negative);
  require(is_not_negative(corrections.latency_factor), "latency_factor", corrections.latency_factor,
          not_negative);
  require(is_positive(corrections.bandwidth_factor), "bandwidth_factor", corrections.bandwidth_factor,
          positive);
  require(is_not_negative(corrections.weight_s_bytes), "weight_s_bytes", corrections.weight_s_bytes,
          not_negative);
  require(is_positive(options.time_precision_s), "time_precision_s", options.time_precision_s, positive);
  require(is_positive(options.rate_precision_Bps), "rate_precision_Bps", options.rate_precision_Bps,
          positive);
}

void require_same_as_before(const SimGridOptions& options) {
  if (options_of_process() && *options_of_process() != options) {
    throw std::invalid_argument(fmt::format(
        "SimGrid already runs in this process with other options (model {}), and takes them only once; "
        "run model {} in a process of its own",
        options_of_process()->model, options.model));
  }
}

std::vector<std::string> arguments_for(const SimGridOptions& options) {
  const Corrections corrections = corrections_of(options);
  std::vector<std::string> arguments = {
      "starling",
      "--log=root.thres:critical",
      "--cfg=debug/verbose-exit:no",
      fmt::format("--cfg=network/model:{}", options.model),
      fmt::format("--cfg=network/crosstraffic:{}", options.cross_traffic ? "yes" : "no"),
      fmt::format("--cfg=network/TCP-gamma:{}", options.tcp_gamma_bytes),
      fmt::format("--cfg=network/weight-S:{}", corrections.weight_s_bytes),
      fmt::format("--cfg=surf/precision:{}", options.time_precision_s),
      fmt::format("--cfg=maxmin/precision:{}", options.rate_precision_Bps),
  };
  if (!has_factor_table(options)) {
    arguments.push_back(fmt::format("--cfg=network/latency-factor:{}", corrections.latency_factor));
    arguments.push_back(fmt::format("--cfg=network/bandwidth-factor:{}", corrections.bandwidth_factor));
  }
  return arguments;
}

/// Starts SimGrid, which installs a handler of segmentation faults that we take out again.
std::unique_ptr<s4u::Engine> make_engine(const SimGridOptions& options) {
  std::vector<std::string> arguments = arguments_for(options);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());

  struct sigaction handler = {};
  sigaction(SIGSEGV, nullptr, &handler);
  simgrid_clock_s = 0;
  auto engine = std::make_unique<s4u::Engine>(&argc, argv.data());
  sigaction(SIGSEGV, &handler, nullptr);
  options_of_process() = options;
  return engine;
}

/// A SimGrid network whose routes are ours: asked for one at a time, none is stored.
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
    made->set_latency(link.latency_s);
    made->seal();
    return made->get_impl();
  }

  void get_local_route(const NetPoint* from, const NetPoint* to, simgrid::kernel::routing::Route* into,
                       double* latency_s) override {
    for (const LinkIndex index : routes_.route(static_cast<Rank>(from->id()), static_cast<Rank>(to->id()))) {
      const auto i = static_cast<std::size_t>(index);
      into->link_list_.push_back(links_[i]);
      if (latency_s) *latency_s += routes_.links()[i].latency_s;
    }
  }

  const Routes& routes_;
  std::vector<s4u::Host*> hosts_;
  std::vector<StandardLinkImpl*> links_;
};

}  // namespace

std::span<const std::string_view> simgrid_models() { return models; }

/// The engine of one run, with the transfers under way in it. There is one at a time.
class SimGridNetwork::Impl {
 public:
  Impl(const Routes& routes, const SimGridOptions& options, Scheduler& scheduler)
      : scheduler_(scheduler), engine_(make_engine(options)), zone_(*new RoutesZone(routes)) {
    engine_->seal_platform();
    engine_->track_vetoed_activities(&reasons_to_stop_);
    [[maybe_unused]] static const bool is_connected = connect();
    running_ = this;
  }

  ~Impl() {
    running_ = nullptr;
    for (Flight& flight : flights_) {
      if (flight.communication) flight.communication->cancel();
    }
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start(Transfer& transfer) {
    STARLING_INVARIANT(transfer.bytes >= 0 && transfer.bytes < 0x1p63);
    run_until(scheduler_.now());
    Flight& flight = take_flight();
    flight.transfer = &transfer;
    flight.number = started_++;
    flight.communication =
        s4u::Comm::sendto_init(zone_.host(transfer.source), zone_.host(transfer.destination));
    flight.communication->set_payload_size(static_cast<std::uint64_t>(std::llround(transfer.bytes)));
    flight.communication->set_data(&flight);
    ++under_way_;
    flight.communication->start();
  }

  /// Where nothing is under way SimGrid's clock may lag; the next start makes up for it.
  double advance(double limit_s) {
    if (under_way_ == 0) return limit_s;
    run_until(limit_s);
    if (arrived_.empty()) return limit_s;
    const double time_s = std::clamp(simgrid_clock_s, scheduler_.now(), limit_s);
    scheduler_.reach(time_s);
    deliver();
    return time_s;
  }

 private:
  struct Flight {
    s4u::CommPtr communication;  // empty unless under way
    Transfer* transfer = nullptr;
    std::uint64_t number = 0;
  };

  /// SimGrid keeps callbacks from one engine to the next, so there is one for all.
  static bool connect() {
    s4u::Comm::on_completion_cb([](const s4u::Activity& activity) {
      if (running_) running_->completed(static_cast<const s4u::Comm&>(activity));
    });
    return true;
  }

  void completed(const s4u::Comm& communication) {
    Flight& flight = *communication.get_data<Flight>();
    arrived_.push_back(&flight);
    reasons_to_stop_.insert(flight.communication.get());
  }

  /// Runs SimGrid until then, or until the first moment at which something arrived. SimGrid stops when an
  /// activity could not start, which we make it believe of what arrived; what it put there itself are the
  /// communications that we start, from before they had both ends. It also stops up to 10 µs early.
  void run_until(double limit_s) {
    constexpr double no_limit = -1;
    while (arrived_.empty() && simgrid_clock_s < limit_s) {
      reasons_to_stop_.clear();
      engine_->run_until(std::isinf(limit_s) ? no_limit : limit_s);
      if (std::isinf(limit_s)) return;
    }
  }

  /// Transfers that arrived at the same moment do so in the order of their starts.
  void deliver() {
    std::vector<Flight*> arrived = std::exchange(arrived_, {});
    std::sort(arrived.begin(), arrived.end(),
              [](const Flight* left, const Flight* right) { return left->number < right->number; });
    for (Flight* flight : arrived) {
      flight->communication.reset();
      unused_flights_.push_back(flight);
      --under_way_;
      flight->transfer->arrived();
    }
  }

  Flight& take_flight() {
    if (unused_flights_.empty()) return flights_.emplace_back();
    Flight& flight = *unused_flights_.back();
    unused_flights_.pop_back();
    return flight;
  }

  static Impl* running_;

  Scheduler& scheduler_;
  std::unique_ptr<s4u::Engine> engine_;
  RoutesZone& zone_;  // the engine's
  std::set<s4u::Activity*> reasons_to_stop_;
  std::deque<Flight> flights_;
  std::vector<Flight*> unused_flights_;
  std::vector<Flight*> arrived_;
  std::uint64_t started_ = 0;
  std::int64_t under_way_ = 0;
};

SimGridNetwork::Impl* SimGridNetwork::Impl::running_ = nullptr;
SimGridNetwork* SimGridNetwork::attached_ = nullptr;

SimGridNetwork::SimGridNetwork(const Routes& routes, const SimGridOptions& options)
    : routes_(routes), options_(options) {
  require_valid(options);
  require_same_as_before(options);
}

SimGridNetwork::~SimGridNetwork() {
  if (attached_ == this) attached_ = nullptr;
}

void SimGridNetwork::attach(Scheduler& scheduler) {
  require_same_as_before(options_);
  if (attached_) attached_->impl_.reset();
  attached_ = this;
  impl_ = std::make_unique<Impl>(routes_, options_, scheduler);
}

void SimGridNetwork::start(Transfer& transfer) {
  STARLING_INVARIANT(impl_ && transfer.source != transfer.destination);
  impl_->start(transfer);
}

double SimGridNetwork::advance(double limit_s) {
  STARLING_INVARIANT(impl_);
  return impl_->advance(limit_s);
}

}  // namespace starling
