// SPDX-License-Identifier: BSD-3-Clause
// A messenger and the engine that drives it: credits, calls and what is to be sent again go on
// while a rank computes. Who calls drives the station itself, and the engine's thread sleeps until
// nobody has for two milliseconds.
//
// Exceptions: with() and open() let those of what they do pass. All else throws nothing, as threads
// and destructors call it: what fails there, for want of memory, has the messenger break off.
//
// Thread rule: any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "fabric/messenger.h"
#include "wire/engine/engine.h"
#include "wire/links/open_link.h"

namespace quadrille::fabric {

struct StationSettings {
  std::string interface;  // see choose_interface()
  wire::LinkKind link = wire::LinkKind::udp;
  std::string link_helper = {};  // the path of its socket; empty: asks nobody
  std::optional<wire::Secret> job_secret;
  std::size_t burst_bytes = std::size_t{32} * 1024;
  bool shares_memory = true;  // with other endpoints of this host
  wire::BulkPath bulk = wire::BulkPath::cheaper;
  std::uint32_t paths = 1;
  bool flow_control = true;  // see MessengerSettings
};

class Station {
 public:
  using DoneHandler = std::function<void(const Done&, const Messenger&)>;

  // `on_done` is told what has ended, by any thread, one at a time; it must not use the station.
  static Result<std::unique_ptr<Station>> open(const StationSettings& settings,
                                               DoneHandler on_done);
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  // What has been sent still gets its acknowledgements, for some seconds at most.
  ~Station();

  const EndpointName& name() const { return messenger_.name(); }

  // `act` is called with the messenger and the time; what it sends leaves at once. What it throws
  // passes through, and the messenger breaks off.
  template <typename Act>
  auto with(Act&& act) {
    const std::scoped_lock lock(engine_.mutex());
    const Passage passage(*this);
    if (messenger_.has_failed()) throw std::bad_alloc();
    try {
      return act(messenger_, passage.now);
    } catch (...) {
      messenger_.fail();
      throw;
    }
  }
  // Takes in what has arrived and sends what is due, without blocking. Returns whether anything
  // arrived.
  bool drive();

  // Between these a thread waits by itself for what arrives, and then drives.
  void begin_watch();
  void end_watch();
  // Readable when something has arrived.
  const std::vector<int>& descriptors() const { return engine_.descriptors(); }
  // Somebody has slept until one of them was.
  void woken();
  const char* link_name() const { return engine_.link().name(); }
  wire::FrameCounters frames();
  // What was wanted instead; empty where it is what was wanted.
  const std::string& why_not() const { return why_not_; }
  // For who sleeps next until a descriptor is readable, or for that long: until something is due
  // without an arrival.
  std::optional<Nanoseconds> prepare_sleep();
  // The thread answers from now on, until the next call.
  void leave_to_service();

 private:
  struct Passage {
    explicit Passage(Station& station);
    ~Passage();
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
    Station& station;
    Nanoseconds now;
  };

  struct Parts {
    std::unique_ptr<wire::Link> link;
    std::unique_ptr<wire::StreamLink> streams;  // null: of none
    std::unique_ptr<KeyPair> keys;
    std::unique_ptr<Inbox> inbox;            // null: of none
    std::unique_ptr<wire::HostBoard> board;  // null: of none that is shared
  };
  Station(Parts parts, const MessengerSettings& settings, wire::BulkPath bulk, DoneHandler on_done);
  // REQUIRES, as below: the engine's mutex held.
  Nanoseconds serve(Nanoseconds now, bool before_sleep) noexcept;
  template <typename Act>
  void attempt(Act&& act) noexcept;
  void break_off() noexcept;
  // Something is left to be tried again, for which no descriptor wakes anybody.
  bool has_to_try_again() { return messenger_.has_failed() || !messenger_.done().empty(); }
  void set_asleep(bool asleep);
  bool look_around(Nanoseconds now);
  bool take_in(Nanoseconds now);
  void leave(Nanoseconds now) noexcept;
  void hand_out() noexcept;
  void note_losses(Nanoseconds now);
  void linger();

  std::unique_ptr<KeyPair> keys_;
  std::unique_ptr<Inbox> inbox_;
  std::unique_ptr<wire::HostBoard> board_;
  std::string why_not_;
  bool is_cut_ = false;
  bool has_told_of_failure_ = false;
  Messenger messenger_;
  DoneHandler on_done_;
  bool memory_is_busy_ = false;
  unsigned looks_at_memory_ = 0;
  wire::Engine engine_;  // ends before what it drives
};

}  // namespace quadrille::fabric
