// SPDX-License-Identifier: BSD-3-Clause
// Names of endpoints by number: what libfabric calls a table serves as a map too.
//
// Thread rule: any thread.
#pragma once

#include <rdma/fi_domain.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fabric/names/endpoint_name.h"

namespace quadrille::fabric {

class Endpoint;

class AddressVector : public fid_av {
 public:
  static int open(fid_domain* domain, fi_av_attr* attributes, fid_av** made, void* context);

  std::optional<EndpointName> name_of(fi_addr_t address) const;
  // The first that was inserted under this name; FI_ADDR_NOTAVAIL: none.
  fi_addr_t address_of(const EndpointName& name) const;

  // How often something has been removed: what was looked up before may hold no more.
  std::uint64_t removals() const { return removals_; }

  // An endpoint that is told of what is inserted.
  void bind(Endpoint* endpoint);
  void unbind(Endpoint* endpoint);
  bool is_bound() const;

 private:
  friend struct AddressVectorCalls;

  fi_addr_t insert(const EndpointName& name);
  static std::uint64_t key_of(const EndpointName& name) {
    return std::uint64_t{name.at.address} << 16U | name.at.port;
  }

  mutable std::mutex mutex_;
  std::vector<std::optional<EndpointName>> names_;
  std::unordered_multimap<std::uint64_t, fi_addr_t> addresses_;  // by where they are
  std::vector<Endpoint*> endpoints_;
  std::atomic<std::uint64_t> removals_ = 0;
};

}  // namespace quadrille::fabric
