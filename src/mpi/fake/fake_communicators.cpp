// SPDX-License-Identifier: BSD-3-Clause
// Communicators, their groups, attributes and error handlers.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "mpi/fake/fake_state.h"

namespace quadrille::fake {
namespace {

constexpr int communicator_kind = static_cast<int>(0x84000000U);
constexpr int group_kind = static_cast<int>(0x88000000U);
constexpr int key_kind = static_cast<int>(0xa4000000U);
constexpr int handler_kind = static_cast<int>(0x94000000U);

int tag_bound = 0x0fffffff;

FakeCommunicator::OfRank& own_part(FakeCommunicator& communicator) {
  return communicator.of_rank[static_cast<std::size_t>(communicator.rank_of(own_rank()))];
}

// Every rank brings its wish; the last to come makes what all wish for.
template <typename Make>
int make_together(Lock& lock, MPI_Comm comm, const Bytes& wish, const Make& make) {
  const auto parent = find_communicator(comm);
  const auto request = arrive(*parent, wish, [&](const Meeting& meeting) { return make(meeting); });
  const MPI_Request handle = handle_of(request);
  const int code = wait_for(lock, *request);
  state().requests.erase(handle);
  return code == MPI_SUCCESS ? code : raise_error(lock, comm, code);
}

template <typename Value>
Bytes bytes_of(const std::vector<Value>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  return {begin, begin + values.size() * sizeof(Value)};
}

std::vector<int> ints_of(const Bytes& bytes) {
  std::vector<int> ints(bytes.size() / sizeof(int));
  if (!ints.empty()) std::memcpy(ints.data(), bytes.data(), bytes.size());
  return ints;
}

// A communicator of the same members that a sibling has made in this meeting, or a new one.
MPI_Comm made_in(const Meeting& meeting, const std::vector<int>& members) {
  const auto [made, is_new] = meeting.made.try_emplace(members, MPI_COMM_NULL);
  if (is_new) made->second = make_communicator(members);
  return made->second;
}

MPI_Group add_group(std::vector<int> members) {
  const MPI_Group handle = new_handle(group_kind);
  state().groups[handle] = std::move(members);
  return handle;
}

}  // namespace

int FakeCommunicator::rank_of(int world_rank) const {
  const auto found = std::ranges::find(members, world_rank);
  return found == members.end() ? MPI_UNDEFINED : static_cast<int>(found - members.begin());
}

CommunicatorPointer find_communicator(MPI_Comm comm) {
  if (comm == MPI_COMM_SELF) return state().selves[static_cast<std::size_t>(own_rank())];
  const auto found = state().communicators.find(comm);
  return found == state().communicators.end() ? nullptr : found->second;
}

MPI_Comm make_communicator(std::vector<int> members) {
  auto made = std::make_shared<FakeCommunicator>();
  made->handle = new_handle(communicator_kind);
  made->of_rank.resize(members.size());
  made->members = std::move(members);
  state().communicators[made->handle] = made;
  note_progress();
  return made->handle;
}

// The latest first, as MPI_Finalize does with those of MPI_COMM_SELF.
int delete_attributes(Lock& lock, MPI_Comm comm) {
  auto& own = own_part(*find_communicator(comm));
  while (!own.attributes.empty()) {
    const auto [key, value] = own.attributes.back();
    const FakeAttribute attribute = state().keys.at(key);
    if (attribute.forget != nullptr) {
      lock.unlock();
      const int code = attribute.forget(comm, key, value, attribute.extra);
      lock.lock();
      if (code != MPI_SUCCESS) return code;
    }
    std::erase_if(own.attributes, [&](const auto& entry) { return entry.first == key; });
  }
  return MPI_SUCCESS;
}

}  // namespace quadrille::fake

namespace fake = quadrille::fake;
using fake::find_communicator;

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  FAKE_ENTRY("PMPI_Comm_size", comm);
  *size = static_cast<int>(find_communicator(comm)->members.size());
  const auto lie = fake::state().size_lies.find(fake::own_rank());
  if (lie != fake::state().size_lies.end() && comm != MPI_COMM_WORLD) *size = lie->second;
  return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  FAKE_ENTRY("PMPI_Comm_rank", comm);
  *rank = find_communicator(comm)->rank_of(fake::own_rank());
  return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  FAKE_ENTRY("PMPI_Comm_test_inter", comm);
  *flag = 0;
  return MPI_SUCCESS;
}

int PMPI_Comm_remote_size(MPI_Comm comm, int*) {
  FAKE_ENTRY("PMPI_Comm_remote_size", comm);
  return MPI_ERR_COMM;
}

int PMPI_Comm_get_parent(MPI_Comm* parent) {
  FAKE_ENTRY("PMPI_Comm_get_parent");
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int PMPI_Comm_get_name(MPI_Comm comm, char* name, int* length) {
  FAKE_ENTRY("PMPI_Comm_get_name", comm);
  name[0] = '\0';
  *length = 0;
  return MPI_SUCCESS;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  FAKE_ENTRY("PMPI_Comm_dup", comm);
  const auto parent = find_communicator(comm);
  const MPI_Errhandler handler = fake::own_part(*parent).handler;
  const int code = fake::make_together(entered.lock(), comm, {}, [&](const auto& meeting) {
    *made = fake::made_in(meeting, parent->members);
    return MPI_SUCCESS;
  });
  if (code == MPI_SUCCESS) fake::own_part(*find_communicator(*made)).handler = handler;
  return code;
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  FAKE_ENTRY("PMPI_Comm_create", comm);
  const std::vector<int> members = fake::state().groups.at(group);
  return fake::make_together(
      entered.lock(), comm, fake::bytes_of(members), [&](const auto& meeting) {
        const bool is_member = std::ranges::count(members, fake::own_rank()) > 0;
        *made = is_member ? fake::made_in(meeting, members) : MPI_COMM_NULL;
        return MPI_SUCCESS;
      });
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  FAKE_ENTRY("PMPI_Comm_split", comm);
  const auto parent = find_communicator(comm);
  const auto wish = fake::bytes_of(std::vector<int>{color, key});
  return fake::make_together(entered.lock(), comm, wish, [&](const auto& meeting) {
    std::vector<std::tuple<int, int, int>> chosen;
    for (std::size_t rank = 0; rank < meeting.brought.size(); ++rank) {
      const auto theirs = fake::ints_of(meeting.brought[rank]);
      if (theirs[0] == color)
        chosen.emplace_back(theirs[1], static_cast<int>(rank), parent->members[rank]);
    }
    std::ranges::sort(chosen);
    std::vector<int> members;
    for (const auto& [order, rank, world_rank] : chosen) members.push_back(world_rank);
    *made = color == MPI_UNDEFINED ? MPI_COMM_NULL : fake::made_in(meeting, members);
    return MPI_SUCCESS;
  });
}

// Among the group's ranks alone.
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  FAKE_ENTRY("PMPI_Comm_create_group", comm);
  const std::vector<int> members = fake::state().groups.at(group);
  const auto parent = find_communicator(comm);
  std::string key = "group " + std::to_string(tag);
  for (const int member : members) key += " " + std::to_string(member);
  const auto own =
      static_cast<std::size_t>(std::ranges::find(members, fake::own_rank()) - members.begin());
  auto request = std::make_shared<fake::FakeRequest>();
  request->owner = fake::own_rank();
  request->meeting = fake::arrive_at(*parent, key, members.size(), own, {});
  request->take = [&](const fake::Meeting& meeting) {
    *made = fake::made_in(meeting, members);
    return MPI_SUCCESS;
  };
  const MPI_Request handle = fake::handle_of(request);
  const int code = fake::wait_for(entered.lock(), *request);
  fake::state().requests.erase(handle);
  return code == MPI_SUCCESS ? code : fake::raise_error(entered.lock(), comm, code);
}

int PMPI_Comm_free(MPI_Comm* comm) {
  FAKE_ENTRY("PMPI_Comm_free", *comm);
  const int code = fake::delete_attributes(entered.lock(), *comm);
  if (code != MPI_SUCCESS) return fake::raise_error(entered.lock(), *comm, code);
  const auto communicator = find_communicator(*comm);
  fake::own_part(*communicator).freed = true;
  if (std::ranges::all_of(communicator->of_rank, [](const auto& part) { return part.freed; }))
    fake::state().communicators.erase(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  FAKE_ENTRY("PMPI_Comm_group", comm);
  *group = fake::add_group(find_communicator(comm)->members);
  return MPI_SUCCESS;
}

int PMPI_Group_size(MPI_Group group, int* size) {
  FAKE_ENTRY("PMPI_Group_size");
  if (!fake::state().groups.contains(group)) return MPI_ERR_GROUP;
  *size = static_cast<int>(fake::state().groups.at(group).size());
  return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group* group) {
  FAKE_ENTRY("PMPI_Group_free");
  if (fake::state().groups.erase(*group) == 0) return MPI_ERR_GROUP;
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group* made) {
  FAKE_ENTRY("PMPI_Group_incl");
  std::vector<int> members;
  for (int i = 0; i < count; ++i)
    members.push_back(fake::state().groups.at(group)[static_cast<std::size_t>(ranks[i])]);
  *made = fake::add_group(std::move(members));
  return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group from, int count, const int ranks[], MPI_Group to,
                               int translated[]) {
  FAKE_ENTRY("PMPI_Group_translate_ranks");
  if (!fake::state().groups.contains(from) || !fake::state().groups.contains(to))
    return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_GROUP);
  const auto& members = fake::state().groups.at(from);
  const auto& others = fake::state().groups.at(to);
  for (int i = 0; i < count; ++i) {
    const auto found = std::ranges::find(others, members[static_cast<std::size_t>(ranks[i])]);
    translated[i] =
        found == others.end() ? MPI_UNDEFINED : static_cast<int>(found - others.begin());
  }
  return MPI_SUCCESS;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function* forget,
                            int* key, void* extra) {
  FAKE_ENTRY("PMPI_Comm_create_keyval");
  *key = fake::new_handle(fake::key_kind);
  fake::state().keys[*key] = {forget, extra};
  return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  FAKE_ENTRY("PMPI_Comm_set_attr", comm);
  fake::own_part(*find_communicator(comm)).attributes.emplace_back(key, value);
  return MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  FAKE_ENTRY("PMPI_Comm_get_attr", comm);
  *flag = 0;
  if (key == MPI_TAG_UB) {
    *static_cast<int**>(value) = &fake::tag_bound;
    *flag = 1;
    return MPI_SUCCESS;
  }
  for (const auto& [set, state] : fake::own_part(*find_communicator(comm)).attributes) {
    if (set != key) continue;
    *static_cast<void**>(value) = state;
    *flag = 1;
  }
  return MPI_SUCCESS;
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int key) {
  FAKE_ENTRY("PMPI_Comm_delete_attr", comm);
  auto& attributes = fake::own_part(*find_communicator(comm)).attributes;
  const auto found =
      std::ranges::find(attributes, key, [](const auto& entry) { return entry.first; });
  if (found == attributes.end()) return MPI_SUCCESS;
  const auto [set, value] = *found;
  attributes.erase(found);
  const fake::FakeAttribute attribute = fake::state().keys.at(key);
  entered.lock().unlock();
  return attribute.forget(comm, set, value, attribute.extra);
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  FAKE_ENTRY("PMPI_Comm_set_errhandler", comm);
  fake::own_part(*find_communicator(comm)).handler = handler;
  return MPI_SUCCESS;
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  FAKE_ENTRY("PMPI_Comm_get_errhandler", comm);
  *handler = fake::own_part(*find_communicator(comm)).handler;
  return MPI_SUCCESS;
}

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  FAKE_ENTRY("PMPI_Comm_create_errhandler");
  *handler = fake::new_handle(fake::handler_kind);
  fake::state().handlers[*handler] = function;
  return MPI_SUCCESS;
}

int PMPI_Errhandler_free(MPI_Errhandler* handler) {
  FAKE_ENTRY("PMPI_Errhandler_free");
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  FAKE_ENTRY("PMPI_Comm_call_errhandler", comm);
  fake::raise_error(entered.lock(), comm, code);
  return MPI_SUCCESS;
}
