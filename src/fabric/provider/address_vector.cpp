// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/address_vector.h"

#include <rdma/fi_eq.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "fabric/provider/endpoint.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {

std::optional<EndpointName> AddressVector::name_of(fi_addr_t address) const {
  const std::scoped_lock lock(mutex_);
  return address < names_.size() ? names_[address] : std::nullopt;
}

fi_addr_t AddressVector::address_of(const EndpointName& name) const {
  const std::scoped_lock lock(mutex_);
  fi_addr_t first = FI_ADDR_NOTAVAIL;
  const auto [begin, end] = addresses_.equal_range(key_of(name));
  for (auto entry = begin; entry != end; ++entry) {
    if (names_[entry->second] == name) first = std::min(first, entry->second);
  }
  return first;
}

fi_addr_t AddressVector::insert(const EndpointName& name) {
  const std::scoped_lock lock(mutex_);
  const fi_addr_t address = names_.size();
  names_.emplace_back();  // stays free where memory for the next is missing
  addresses_.emplace(key_of(name), address);
  names_[address] = name;
  return address;
}

void AddressVector::bind(Endpoint* endpoint) {
  std::vector<std::optional<EndpointName>> known;
  {
    const std::scoped_lock lock(mutex_);
    endpoints_.push_back(endpoint);
    known = names_;
  }
  for (const auto& name : known) {
    if (name) endpoint->on_inserted(*name);
  }
}

void AddressVector::unbind(Endpoint* endpoint) {
  const std::scoped_lock lock(mutex_);
  std::erase(endpoints_, endpoint);
}

bool AddressVector::is_bound() const {
  const std::scoped_lock lock(mutex_);
  return !endpoints_.empty();
}

namespace {

void tell_of_foreign_names() {
  static std::atomic_flag is_told;
  if (is_told.test_and_set()) return;
  std::fputs(
      "quadrille: the address of a rank is none of this version's libfabric provider; install the "
      "same Quadrille on all hosts, and choose --fabric on for all\n",
      stderr);
}

}  // namespace

struct AddressVectorCalls {
  static AddressVector& of(fid_av* av) { return *static_cast<AddressVector*>(av); }

  static int insert(fid_av* av, const void* addresses, size_t count, fi_addr_t* made,
                    uint64_t flags, void* context) {
    AddressVector& self = of(av);
    const auto* bytes = static_cast<const std::byte*>(addresses);
    int inserted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto name = decode_name({bytes + i * name_bytes, name_bytes});
      if (made != nullptr) made[i] = FI_ADDR_NOTAVAIL;
      if ((flags & FI_SYNC_ERR) != 0) static_cast<int*>(context)[i] = name ? 0 : FI_EINVAL;
      if (!name) {
        tell_of_foreign_names();
        continue;
      }
      const fi_addr_t address = self.insert(*name);
      if (made != nullptr) made[i] = address;
      ++inserted;
      for (Endpoint* endpoint : self.endpoints_) endpoint->on_inserted(*name);
    }
    return inserted;
  }

  static int insert_service(fid_av* /*av*/, const char* /*node*/, const char* /*service*/,
                            fi_addr_t* /*made*/, uint64_t /*flags*/, void* /*context*/) {
    return -FI_ENOSYS;  // no host and port tell a key
  }

  static int insert_symmetric(fid_av* /*av*/, const char* /*node*/, size_t /*nodes*/,
                              const char* /*service*/, size_t /*services*/, fi_addr_t* /*made*/,
                              uint64_t /*flags*/, void* /*context*/) {
    return -FI_ENOSYS;
  }

  static int remove(fid_av* av, fi_addr_t* addresses, size_t count, uint64_t /*flags*/) {
    AddressVector& self = of(av);
    const std::scoped_lock lock(self.mutex_);
    for (std::size_t i = 0; i < count; ++i) {
      if (addresses[i] >= self.names_.size() || !self.names_[addresses[i]]) return -FI_EINVAL;
      auto& name = self.names_[addresses[i]];
      const auto [begin, end] = self.addresses_.equal_range(AddressVector::key_of(*name));
      for (auto entry = begin; entry != end; ++entry) {
        if (entry->second != addresses[i]) continue;
        self.addresses_.erase(entry);
        break;
      }
      name.reset();
      ++self.removals_;
    }
    return 0;
  }

  static int lookup(fid_av* av, fi_addr_t address, void* bytes, size_t* length) {
    const auto name = of(av).name_of(address);
    if (!name) return -FI_EINVAL;
    const auto encoded = encode(*name);
    std::memcpy(bytes, encoded.data(), std::min(*length, encoded.size()));
    *length = encoded.size();
    return 0;
  }

  static const char* text(fid_av* /*av*/, const void* bytes, char* buffer, size_t* length) {
    const auto name = decode_name({static_cast<const std::byte*>(bytes), name_bytes});
    const std::string text = name ? text_of(*name) : "no address of quadrille";
    if (*length > 0) {
      const std::size_t copied = text.copy(buffer, *length - 1);
      buffer[copied] = '\0';
    }
    *length = text.size() + 1;
    return buffer;
  }

  static int close(fid* fid) {
    auto* self = object_of<AddressVector, fid_av>(fid);
    if (self->is_bound()) return -FI_EBUSY;
    delete self;
    return 0;
  }

  // An event queue, which nothing is reported to: what is inserted is there when the call returns.
  static int bind(fid* /*fid*/, struct fid* other, uint64_t /*flags*/) {
    return other->fclass == FI_CLASS_EQ ? 0 : -FI_EINVAL;
  }
};

int AddressVector::open(fid_domain* /*domain*/, fi_av_attr* attributes, fid_av** made,
                        void* context) {
  if (attributes->name != nullptr) return -FI_ENOSYS;  // shared by processes
  if ((attributes->flags & FI_EVENT) != 0) return -FI_ENOSYS;
  static fi_ops plain = [] {
    fi_ops ops = plain_ops<AddressVectorCalls::close>();
    ops.bind = guarded<AddressVectorCalls::bind>;
    return ops;
  }();
  static fi_ops_av calls = [] {
    fi_ops_av ops{};
    ops.size = sizeof ops;
    ops.insert = guarded<AddressVectorCalls::insert>;
    ops.insertsvc = guarded<AddressVectorCalls::insert_service>;
    ops.insertsym = guarded<AddressVectorCalls::insert_symmetric>;
    ops.remove = guarded<AddressVectorCalls::remove>;
    ops.lookup = guarded<AddressVectorCalls::lookup>;
    ops.straddr = guarded<AddressVectorCalls::text>;
    return ops;
  }();
  auto* av = new AddressVector();
  av->fid = {FI_CLASS_AV, context, &plain};
  av->ops = &calls;
  if (attributes->type == FI_AV_UNSPEC) attributes->type = FI_AV_TABLE;
  *made = av;
  return 0;
}

}  // namespace quadrille::fabric
