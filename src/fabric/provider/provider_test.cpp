// SPDX-License-Identifier: BSD-3-Clause
// The provider through libfabric's own calls: two endpoints of one process on the loopback.
#include <gtest/gtest.h>
#include <poll.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "fabric/provider/provider_fixture.h"

namespace quadrille::fabric {
namespace {

constexpr int patience_ms = 10'000;

struct End {
  fid_ep* endpoint = nullptr;
  fid_cq* queue = nullptr;
  fid_cntr* counter = nullptr;  // of receives
  fid_av* addresses = nullptr;
  fi_addr_t other = FI_ADDR_NOTAVAIL;
};

class ProviderTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("QUADRILLE_FABRIC_INTERFACE", "127.0.0.1", 1);
    ::unsetenv("QUADRILLE_JOB_SECRET");
    ASSERT_EQ(fi_prov_ini()->getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, nullptr, &info_), 0);
    ASSERT_EQ(fi_prov_ini()->fabric(info_->fabric_attr, &fabric_, nullptr), 0);
    ASSERT_EQ(fi_domain(fabric_, info_, &domain_, nullptr), 0);
    for (End& end : ends_) open(end);
    for (std::size_t i = 0; i < 2; ++i) {
      std::array<char, 64> name{};
      std::size_t length = name.size();
      ASSERT_EQ(fi_getname(&ends_[1 - i].endpoint->fid, name.data(), &length), 0);
      ASSERT_EQ(fi_av_insert(ends_[i].addresses, name.data(), 1, &ends_[i].other, 0, nullptr), 1);
    }
  }
  void open(End& end) {
    fi_av_attr addresses{};
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_TAGGED;
    queue.wait_obj = FI_WAIT_FD;
    fi_cntr_attr counter{};
    ASSERT_EQ(fi_endpoint(domain_, info_, &end.endpoint, nullptr), 0);
    ASSERT_EQ(fi_av_open(domain_, &addresses, &end.addresses, nullptr), 0);
    ASSERT_EQ(fi_cq_open(domain_, &queue, &end.queue, nullptr), 0);
    ASSERT_EQ(fi_cntr_open(domain_, &counter, &end.counter, nullptr), 0);
    EXPECT_EQ(fi_enable(end.endpoint), -FI_ENOAV);
    ASSERT_EQ(fi_ep_bind(end.endpoint, &end.addresses->fid, 0), 0);
    EXPECT_EQ(fi_enable(end.endpoint), -FI_ENOCQ);
    ASSERT_EQ(fi_ep_bind(end.endpoint, &end.queue->fid, FI_TRANSMIT | FI_RECV), 0);
    ASSERT_EQ(fi_ep_bind(end.endpoint, &end.counter->fid, FI_RECV), 0);
    ASSERT_EQ(fi_enable(end.endpoint), 0);
  }
  void TearDown() override {
    for (End& end : ends_) {
      EXPECT_EQ(fi_close(&end.queue->fid), -FI_EBUSY) << "an endpoint is bound to it";
      EXPECT_EQ(fi_close(&end.endpoint->fid), 0);
      for (fid* object : {&end.queue->fid, &end.counter->fid, &end.addresses->fid})
        EXPECT_EQ(fi_close(object), 0);
    }
    fi_close(&domain_->fid);
    fi_close(&fabric_->fid);
    free_info(info_);
  }

  static fi_cq_tagged_entry next(End& end) {
    fi_cq_tagged_entry entry{};
    EXPECT_EQ(fi_cq_sread(end.queue, &entry, 1, nullptr, patience_ms), 1);
    return entry;
  }
  static fi_cq_err_entry next_error(End& end) {
    fi_cq_tagged_entry entry{};
    EXPECT_EQ(fi_cq_sread(end.queue, &entry, 1, nullptr, patience_ms), -FI_EAVAIL);
    fi_cq_err_entry error{};
    EXPECT_EQ(fi_cq_readerr(end.queue, &error, 0), 1);
    return error;
  }

  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  std::array<End, 2> ends_;
};

TEST_F(ProviderTest, a_tagged_message_tells_its_tag_data_length_and_source) {
  std::vector<char> sent(5000);
  std::iota(sent.begin(), sent.end(), 'a');
  std::vector<char> into(6000);
  int context = 0;
  ASSERT_EQ(fi_trecv(ends_[1].endpoint, into.data(), into.size(), nullptr, ends_[1].other, 0x70,
                     0xf, &context),
            0);
  ASSERT_EQ(fi_tsenddata(ends_[0].endpoint, sent.data(), sent.size(), nullptr, 1234, ends_[0].other,
                         0x77, &sent),
            0);
  EXPECT_EQ(fi_cntr_wait(ends_[1].counter, 1, patience_ms), 0);
  fi_cq_tagged_entry entry{};
  fi_addr_t source = FI_ADDR_NOTAVAIL;
  ASSERT_EQ(fi_cq_readfrom(ends_[1].queue, &entry, 1, &source), 1);
  EXPECT_EQ(source, ends_[1].other);
  EXPECT_EQ(entry.op_context, &context);
  EXPECT_EQ(entry.flags, FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA);
  EXPECT_EQ(entry.len, sent.size());
  EXPECT_EQ(entry.tag, 0x77U);
  EXPECT_EQ(entry.data, 1234U);
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), into.begin()));
  const auto done = next(ends_[0]);
  EXPECT_EQ(done.op_context, &sent);
  EXPECT_EQ(done.flags, FI_SEND | FI_TAGGED);
}

TEST_F(ProviderTest, what_is_cut_missing_or_canceled_is_an_error) {
  const std::vector<char> sent(100, 'x');
  std::vector<char> into(10);
  int context = 0;
  fi_trecv(ends_[1].endpoint, into.data(), 10, nullptr, FI_ADDR_UNSPEC, 1, 0, &context);
  fi_tinject(ends_[0].endpoint, sent.data(), sent.size(), ends_[0].other, 1);
  const auto cut = next_error(ends_[1]);
  EXPECT_EQ(cut.err, FI_ETRUNC);
  EXPECT_EQ(cut.len, 10U);
  EXPECT_EQ(cut.olen, 90U);
  fi_msg_tagged peek{};
  peek.addr = FI_ADDR_UNSPEC;
  peek.tag = 9;
  EXPECT_EQ(fi_trecvmsg(ends_[1].endpoint, &peek, FI_PEEK), 0);
  EXPECT_EQ(next_error(ends_[1]).err, FI_ENOMSG);
  fi_trecv(ends_[1].endpoint, into.data(), 10, nullptr, FI_ADDR_UNSPEC, 1, 0, &context);
  EXPECT_EQ(fi_cancel(&ends_[1].endpoint->fid, into.data()), -FI_ENOENT);
  EXPECT_EQ(fi_cancel(&ends_[1].endpoint->fid, &context), 0);
  const auto canceled = next_error(ends_[1]);
  EXPECT_EQ(canceled.err, FI_ECANCELED);
  EXPECT_EQ(canceled.op_context, &context);
  EXPECT_EQ(fi_cntr_readerr(ends_[1].counter), 2U);
}

TEST_F(ProviderTest, a_claimed_message_is_received_or_discarded) {
  const std::vector<char> sent(100, 'x');
  std::vector<char> into(100);
  int context = 0;
  for (const bool drops : {false, true}) {
    fi_tinject(ends_[0].endpoint, sent.data(), sent.size(), ends_[0].other, 5);
    fi_msg_tagged message{};
    message.addr = FI_ADDR_UNSPEC;
    message.tag = 5;
    message.context = &context;
    for (bool found = false; !found;) {
      ASSERT_EQ(fi_trecvmsg(ends_[1].endpoint, &message, FI_PEEK | FI_CLAIM), 0);
      fi_cq_tagged_entry entry{};
      found = fi_cq_read(ends_[1].queue, &entry, 1) == 1;
      fi_cq_err_entry error{};
      if (!found) fi_cq_readerr(ends_[1].queue, &error, 0);
    }
    const iovec piece{into.data(), into.size()};
    message.msg_iov = &piece;
    message.iov_count = 1;
    ASSERT_EQ(fi_trecvmsg(ends_[1].endpoint, &message, FI_CLAIM | (drops ? FI_DISCARD : 0)), 0);
    const auto done = next(ends_[1]);
    EXPECT_EQ(done.op_context, &context);
    EXPECT_EQ(done.flags, FI_RECV | FI_TAGGED);
    EXPECT_EQ(done.len, drops ? 0U : 100U);
    EXPECT_EQ(into, sent);
  }
  EXPECT_EQ(fi_cntr_read(ends_[1].counter), 1U);
}

TEST_F(ProviderTest, who_was_removed_and_is_inserted_again_has_its_new_address) {
  const auto source = [&] {
    char into = 0;
    fi_recv(ends_[1].endpoint, &into, 1, nullptr, FI_ADDR_UNSPEC, nullptr);
    fi_inject(ends_[0].endpoint, "z", 1, ends_[0].other);
    fi_cq_tagged_entry entry{};
    fi_addr_t from = FI_ADDR_NOTAVAIL;
    EXPECT_EQ(fi_cq_sreadfrom(ends_[1].queue, &entry, 1, &from, nullptr, patience_ms), 1);
    return from;
  };
  fi_addr_t before = ends_[1].other;
  EXPECT_EQ(source(), before);
  std::array<char, 64> name{};
  std::size_t length = name.size();
  ASSERT_EQ(fi_av_lookup(ends_[1].addresses, before, name.data(), &length), 0);
  ASSERT_EQ(fi_av_remove(ends_[1].addresses, &before, 1, 0), 0);
  EXPECT_EQ(source(), FI_ADDR_NOTAVAIL);
  EXPECT_EQ(fi_send(ends_[1].endpoint, "", 0, nullptr, before, nullptr), -FI_EINVAL);
  fi_addr_t anew = FI_ADDR_NOTAVAIL;
  ASSERT_EQ(fi_av_insert(ends_[1].addresses, name.data(), 1, &anew, 0, nullptr), 1);
  EXPECT_EQ(source(), anew);
}

TEST_F(ProviderTest, a_queue_of_no_named_format_writes_no_more_than_the_shortest) {
  End third;
  fi_cq_attr attributes{};
  attributes.wait_obj = FI_WAIT_FD;
  fi_av_attr addresses{};
  ASSERT_EQ(fi_endpoint(domain_, info_, &third.endpoint, nullptr), 0);
  ASSERT_EQ(fi_av_open(domain_, &addresses, &third.addresses, nullptr), 0);
  ASSERT_EQ(fi_cq_open(domain_, &attributes, &third.queue, nullptr), 0);
  EXPECT_EQ(attributes.format, FI_CQ_FORMAT_CONTEXT);
  ASSERT_EQ(fi_ep_bind(third.endpoint, &third.addresses->fid, 0), 0);
  ASSERT_EQ(fi_ep_bind(third.endpoint, &third.queue->fid, FI_TRANSMIT | FI_RECV), 0);
  ASSERT_EQ(fi_enable(third.endpoint), 0);
  std::array<char, 64> name{};
  std::size_t length = name.size();
  ASSERT_EQ(fi_getname(&ends_[0].endpoint->fid, name.data(), &length), 0);
  ASSERT_EQ(fi_av_insert(third.addresses, name.data(), 1, &third.other, 0, nullptr), 1);
  length = name.size();
  ASSERT_EQ(fi_getname(&third.endpoint->fid, name.data(), &length), 0);
  ASSERT_EQ(fi_av_insert(ends_[0].addresses, name.data(), 1, nullptr, 0, nullptr), 1);
  ASSERT_EQ(fi_send(third.endpoint, "z", 1, nullptr, third.other, &third), 0);
  std::array<fi_cq_entry, sizeof(fi_cq_tagged_entry) / sizeof(fi_cq_entry)> entries{};
  EXPECT_EQ(fi_cq_sread(third.queue, entries.data(), 1, nullptr, patience_ms), 1);
  EXPECT_EQ(entries[0].op_context, &third);
  EXPECT_EQ(entries[1].op_context, nullptr) << "of the caller's own memory";
  for (fid* object : {&third.endpoint->fid, &third.queue->fid, &third.addresses->fid})
    EXPECT_EQ(fi_close(object), 0);
}

TEST_F(ProviderTest, a_buffer_for_many_messages_is_given_back_when_it_is_full) {
  std::vector<char> buffer(1000);
  const std::size_t least = 300;
  ASSERT_EQ(fi_setopt(&ends_[1].endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least,
                      sizeof least),
            0);
  const iovec piece{buffer.data(), buffer.size()};
  fi_msg message{};
  message.msg_iov = &piece;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = &buffer;
  ASSERT_EQ(fi_recvmsg(ends_[1].endpoint, &message, FI_MULTI_RECV), 0);
  const std::vector<char> sent(400, 'y');
  for (int i = 0; i < 2; ++i) fi_inject(ends_[0].endpoint, sent.data(), 400, ends_[0].other);
  EXPECT_EQ(next(ends_[1]).buf, buffer.data());
  const auto second = next(ends_[1]);
  EXPECT_EQ(second.buf, buffer.data() + 400);
  EXPECT_EQ(second.flags, FI_RECV | FI_MSG);
  const auto released = next(ends_[1]);
  EXPECT_EQ(released.flags, FI_MULTI_RECV);
  EXPECT_EQ(released.op_context, &buffer);
}

TEST_F(ProviderTest, who_sleeps_on_the_queues_descriptor_is_woken) {
  int descriptor = -1;
  ASSERT_EQ(fi_control(&ends_[1].queue->fid, FI_GETWAIT, &descriptor), 0);
  char into = 0;
  fi_recv(ends_[1].endpoint, &into, 1, nullptr, FI_ADDR_UNSPEC, nullptr);
  std::array<fid*, 1> queues{&ends_[1].queue->fid};
  ASSERT_EQ(fi_trywait(fabric_, queues.data(), 1), 0);
  pollfd event{descriptor, POLLIN, 0};
  EXPECT_EQ(poll(&event, 1, 10), 0);
  fi_inject(ends_[0].endpoint, "z", 1, ends_[0].other);
  EXPECT_EQ(poll(&event, 1, patience_ms), 1);
  EXPECT_EQ(fi_trywait(fabric_, queues.data(), 1), -FI_EAGAIN);
  EXPECT_EQ(next(ends_[1]).len, 1U);
  EXPECT_EQ(into, 'z');
  EXPECT_EQ(poll(&event, 1, 0), 0) << "nothing is left";
}

// Nobody calls the other end, which has to answer an offer or a call: its own thread does.
TEST_F(ProviderTest, every_way_to_wait_lets_the_other_end_go_on) {
  const std::vector<char> sent(1 << 20, 'x');
  std::vector<char> into(sent.size());
  const auto exchange = [&] {
    std::ranges::fill(into, 'o');
    EXPECT_EQ(
        fi_recv(ends_[1].endpoint, into.data(), into.size(), nullptr, ends_[1].other, nullptr), 0);
    EXPECT_EQ(
        fi_send(ends_[0].endpoint, sent.data(), sent.size(), nullptr, ends_[0].other, nullptr), 0);
  };
  const auto poll_queue = [&](End& end) {
    int descriptor = -1;
    EXPECT_EQ(fi_control(&end.queue->fid, FI_GETWAIT, &descriptor), 0);
    fid* queue = &end.queue->fid;
    while (fi_trywait(fabric_, &queue, 1) == 0) {
      pollfd event{descriptor, POLLIN, 0};
      ASSERT_EQ(poll(&event, 1, patience_ms), 1);
    }
  };
  exchange();
  EXPECT_EQ(next(ends_[1]).len, sent.size());
  EXPECT_EQ(into, sent);
  next(ends_[0]);
  exchange();
  EXPECT_EQ(next(ends_[0]).flags, FI_SEND | FI_MSG);
  next(ends_[1]);
  EXPECT_EQ(into, sent);
  exchange();
  EXPECT_EQ(fi_cntr_wait(ends_[1].counter, 3, patience_ms), 0);
  EXPECT_EQ(into, sent);
  next(ends_[0]);
  next(ends_[1]);
  for (End& end : ends_) {
    exchange();
    poll_queue(end);
    next(ends_[0]);
    next(ends_[1]);
    EXPECT_EQ(into, sent);
  }
}

TEST_F(ProviderTest, two_that_both_sleep_wake_each_other) {
  constexpr int rounds = 50;
  const auto bounce = [](End& end, bool begins) {
    std::vector<char> data(30'000);
    for (int i = 0; i < 2 * rounds; ++i) {
      if ((i % 2 == 0) == begins) {
        EXPECT_EQ(fi_send(end.endpoint, data.data(), data.size(), nullptr, end.other, nullptr), 0);
      } else {
        EXPECT_EQ(fi_recv(end.endpoint, data.data(), data.size(), nullptr, end.other, nullptr), 0);
      }
      fi_cq_tagged_entry entry{};
      ASSERT_EQ(fi_cq_sread(end.queue, &entry, 1, nullptr, patience_ms), 1);
    }
  };
  std::thread other(bounce, std::ref(ends_[1]), false);
  bounce(ends_[0], true);
  other.join();
}

// Messages that only their receiver can call for are the last that an endpoint looks after.
TEST_F(ProviderTest, closing_ends_though_nobody_calls_the_other_end) {
  End third;
  open(third);
  std::array<char, 64> name{};
  std::size_t length = name.size();
  ASSERT_EQ(fi_getname(&ends_[0].endpoint->fid, name.data(), &length), 0);
  ASSERT_EQ(fi_av_insert(third.addresses, name.data(), 1, &third.other, 0, nullptr), 1);
  length = name.size();
  ASSERT_EQ(fi_getname(&third.endpoint->fid, name.data(), &length), 0);
  fi_addr_t of_third = FI_ADDR_NOTAVAIL;
  ASSERT_EQ(fi_av_insert(ends_[0].addresses, name.data(), 1, &of_third, 0, nullptr), 1);
  constexpr int messages = 60;
  const std::vector<char> sent(4000, 'y');
  std::vector<char> into(sent.size());
  for (int i = 0; i < messages; ++i)
    EXPECT_EQ(fi_recv(ends_[0].endpoint, into.data(), into.size(), nullptr, of_third, nullptr), 0);
  for (int i = 0; i < messages; ++i)
    EXPECT_EQ(fi_inject(third.endpoint, sent.data(), sent.size(), third.other), 0);
  EXPECT_EQ(fi_close(&third.endpoint->fid), 0);
  for (int i = 0; i < messages; ++i) EXPECT_EQ(next(ends_[0]).len, sent.size());
  for (fid* object : {&third.queue->fid, &third.counter->fid, &third.addresses->fid})
    EXPECT_EQ(fi_close(object), 0);
}

TEST_F(ProviderTest, waiting_ends_with_its_time) {
  fi_cq_tagged_entry entry{};
  EXPECT_EQ(fi_cq_sread(ends_[0].queue, &entry, 1, nullptr, 20), -FI_EAGAIN);
  EXPECT_EQ(fi_cntr_wait(ends_[0].counter, 1, 20), -FI_ETIMEDOUT);
  EXPECT_EQ(fi_cq_signal(ends_[0].queue), 0);
  EXPECT_EQ(fi_cq_sread(ends_[0].queue, &entry, 1, nullptr, -1), -FI_EAGAIN);
}

TEST_F(ProviderTest, a_signal_wakes_once) {
  int descriptor = -1;
  ASSERT_EQ(fi_control(&ends_[0].queue->fid, FI_GETWAIT, &descriptor), 0);
  pollfd event{descriptor, POLLIN, 0};
  fi_cq_tagged_entry entry{};
  fid* queue = &ends_[0].queue->fid;
  ASSERT_EQ(fi_cq_signal(ends_[0].queue), 0);
  EXPECT_EQ(fi_cq_sread(ends_[0].queue, &entry, 1, nullptr, patience_ms), -FI_EAGAIN);
  EXPECT_EQ(poll(&event, 1, 0), 0) << "who polls would find it again and again";
  ASSERT_EQ(fi_cq_signal(ends_[0].queue), 0);
  EXPECT_EQ(poll(&event, 1, 0), 1);
  EXPECT_EQ(fi_trywait(fabric_, &queue, 1), -FI_EAGAIN) << "it came before";
  EXPECT_EQ(fi_trywait(fabric_, &queue, 1), 0);
  EXPECT_EQ(poll(&event, 1, 0), 0);
}

TEST_F(ProviderTest, an_error_tells_that_it_has_no_data) {
  fi_cq_tagged_entry entry{};
  fi_msg_tagged peek{};
  peek.addr = FI_ADDR_UNSPEC;
  std::array<char, 8> room{};
  for (const std::size_t size : {room.size(), std::size_t{0}}) {
    ASSERT_EQ(fi_trecvmsg(ends_[1].endpoint, &peek, FI_PEEK), 0);
    ASSERT_EQ(fi_cq_read(ends_[1].queue, &entry, 1), -FI_EAVAIL);
    fi_cq_err_entry error{};
    error.err_data = room.data();
    error.err_data_size = size;
    EXPECT_EQ(fi_cq_readerr(ends_[1].queue, &error, 0), 1);
    EXPECT_EQ(error.err_data_size, 0U);
    EXPECT_EQ(error.err_data, size > 0 ? room.data() : nullptr);
  }
}

TEST_F(ProviderTest, a_counter_without_attributes_has_the_usual_ones) {
  fid_cntr* counter = nullptr;
  ASSERT_EQ(fi_cntr_open(domain_, nullptr, &counter, nullptr), 0);
  EXPECT_EQ(fi_cntr_add(counter, 3), 0);
  EXPECT_EQ(fi_cntr_read(counter), 3U);
  EXPECT_EQ(fi_close(&counter->fid), 0);
}

TEST_F(ProviderTest, what_is_not_offered_is_not_found) {
  fi_info hints{};
  fi_info* found = nullptr;
  hints.caps = FI_RMA;
  EXPECT_EQ(fi_prov_ini()->getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, &hints, &found),
            -FI_ENODATA);
  fi_ep_attr connected{};
  connected.type = FI_EP_MSG;
  hints.caps = FI_MSG;
  hints.ep_attr = &connected;
  EXPECT_EQ(fi_prov_ini()->getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, &hints, &found),
            -FI_ENODATA);
  hints.ep_attr = nullptr;
  ASSERT_EQ(fi_prov_ini()->getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, &hints, &found), 0);
  EXPECT_EQ(found->caps & (FI_TAGGED | FI_DIRECTED_RECV), 0U) << "nobody has asked for them";
  free_info(found);
  EXPECT_EQ(fi_send(ends_[0].endpoint, "", 0, nullptr, 77, nullptr), -FI_EINVAL);
  std::array<char, 44> nonsense{};
  fi_addr_t address = 0;
  EXPECT_EQ(fi_av_insert(ends_[0].addresses, nonsense.data(), 1, &address, 0, nullptr), 0);
  EXPECT_EQ(address, FI_ADDR_NOTAVAIL);
}

}  // namespace
}  // namespace quadrille::fabric
