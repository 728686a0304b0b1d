// The messages of an uneven star sent by SimGrid's own actors: prints when each arrives. Takes SimGrid's
// options.
#include <cstdio>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "tests/sim/simulated/uneven_star.hpp"

namespace s4u = simgrid::s4u;
namespace star = starling::uneven_star;

int main(int argc, char** argv) {
  const s4u::Engine engine(&argc, argv);
  s4u::NetZone* zone = s4u::create_full_zone("star");
  std::vector<s4u::Host*> hosts;
  for (int i = 0; i < star::workers; ++i)
    hosts.push_back(zone->create_host("worker" + std::to_string(i), 1.0));
  std::vector<s4u::LinkInRoute> links;
  for (int i = 0; i < 2 * star::workers; ++i) {
    s4u::Link* link = zone->create_link("link" + std::to_string(i), star::bandwidth_Bps(i));
    links.emplace_back(link->set_latency(star::latency_s(i))->seal());
  }
  std::vector<double> arrivals_s(star::messages().size());
  for (std::size_t i = 0; i < arrivals_s.size(); ++i) {
    const star::Message message = star::messages()[i];
    s4u::Host* from = hosts[static_cast<std::size_t>(message.source)];
    s4u::Host* to = hosts[static_cast<std::size_t>(message.destination)];
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                    {links[static_cast<std::size_t>(message.source)],
                     links[static_cast<std::size_t>(star::workers + message.destination)]},
                    false);
    s4u::Actor::create("sender", from, [message, from, to, &arrived_s = arrivals_s[i]] {
      s4u::this_actor::sleep_until(message.at_s);
      s4u::Comm::sendto(from, to, static_cast<std::uint64_t>(message.bytes));
      arrived_s = s4u::Engine::get_clock();
    });
  }
  zone->seal();
  engine.run();
  for (const double arrived_s : arrivals_s) std::printf("%.17g\n", arrived_s);
}
