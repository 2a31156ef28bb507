// SPDX-License-Identifier: BSD-3-Clause
// Written out as the kernel's own instructions (Linux, bpf/standardization/instruction-set), so
// that neither a compiler for them nor a library to load them is needed.
#include "wire/links/frames/xdp_program.h"

#include <linux/bpf.h>
#include <linux/if_link.h>
#include <netinet/in.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "wire/links/frames/frame.h"

namespace quadrille::wire {
namespace {

constexpr std::int16_t at_ethertype = 12;
constexpr std::int16_t at_version = ethernet_header_bytes;
constexpr std::int16_t program_at_fragment = ethernet_header_bytes + 6;
constexpr std::int16_t program_at_protocol = ethernet_header_bytes + 9;
constexpr std::int16_t at_address = ethernet_header_bytes + 16;
constexpr std::int16_t program_at_port = udp_offset + 2;
constexpr std::uint16_t program_ethertype_ip = 0x0800;
constexpr std::uint8_t program_version_and_length = 0x45;
constexpr std::uint16_t program_fragment_bits = 0x3fff;

// Registers: what the calling convention makes of them.
enum Register : std::uint8_t {
  result = 0,
  first = 1,
  second = 2,
  third = 3,
  value = 4,
  context = 6
};

// Puts instructions together. Those that compare pass the frame if it is so: they lead to the end.
class Instructions {
 public:
  void load(int width, Register to, Register from, std::int16_t at) {
    add(code(BPF_LDX, width, BPF_MEM), to, from, 0).off = at;
  }
  void move(Register to, Register from) { add(code(BPF_ALU64, BPF_MOV, BPF_X), to, from, 0); }
  void move(Register to, std::int32_t number) {
    add(code(BPF_ALU64, BPF_MOV, BPF_K), to, 0, number);
  }
  void add_to(Register to, std::size_t number) {
    add(code(BPF_ALU64, BPF_ADD, BPF_K), to, 0, static_cast<std::int32_t>(number));
  }
  void pass_if(int comparison, Register left, Register right) {
    passing_.push_back(made_.size());
    add(code(BPF_JMP, comparison, BPF_X), left, right, 0);
  }
  // Of 32 bits.
  void pass_if(int comparison, Register left, std::uint32_t right) {
    passing_.push_back(made_.size());
    add(code(BPF_JMP32, comparison, BPF_K), left, 0, static_cast<std::int32_t>(right));
  }
  void load_map(Register to, int map) {
    add(code(BPF_LD, BPF_DW, BPF_IMM), to, BPF_PSEUDO_MAP_FD, map);
    add(0, 0, 0, 0);  // the number's other half
  }
  void call(int function) { add(code(BPF_JMP, BPF_CALL, 0), 0, 0, function); }
  void end() { add(code(BPF_JMP, BPF_EXIT, 0), 0, 0, 0); }
  std::vector<bpf_insn> take() {
    for (const std::size_t jump : passing_)
      made_[jump].off = static_cast<std::int16_t>(made_.size() - jump - 1);
    move(result, XDP_PASS);
    end();
    return std::move(made_);
  }

 private:
  static std::uint8_t code(int kind, int operation, int source) {
    return static_cast<std::uint8_t>(kind | operation | source);
  }
  bpf_insn& add(std::uint8_t code, std::uint8_t to, std::uint8_t from, std::int32_t number) {
    bpf_insn& made = made_.emplace_back();
    made.code = code;
    made.dst_reg = to & 0xfU;
    made.src_reg = from & 0xfU;
    made.imm = number;
    return made;
  }

  std::vector<bpf_insn> made_;
  std::vector<std::size_t> passing_;
};

std::vector<bpf_insn> instructions(NetworkAddress local, std::size_t longest_frame, int sockets) {
  Instructions i;
  i.move(context, first);
  i.load(BPF_W, second, context, offsetof(xdp_md, data));
  i.load(BPF_W, third, context, offsetof(xdp_md, data_end));
  i.move(value, second);
  i.add_to(value, frame_header_bytes);
  i.pass_if(BPF_JGT, value, third);
  // What nobody has cut yet is for the UDP socket, which has it cut.
  i.move(value, second);
  i.add_to(value, longest_frame + 1);
  i.pass_if(BPF_JLE, value, third);
  i.load(BPF_H, value, second, at_ethertype);
  i.pass_if(BPF_JNE, value, htons(program_ethertype_ip));
  i.load(BPF_B, value, second, at_version);
  i.pass_if(BPF_JNE, value, program_version_and_length);
  i.load(BPF_B, value, second, program_at_protocol);
  i.pass_if(BPF_JNE, value, IPPROTO_UDP);
  i.load(BPF_H, value, second, program_at_fragment);
  i.pass_if(BPF_JSET, value, htons(program_fragment_bits));
  i.load(BPF_W, value, second, at_address);
  i.pass_if(BPF_JNE, value, htonl(local.address));
  i.load(BPF_H, value, second, program_at_port);
  i.pass_if(BPF_JNE, value, htons(local.port));
  // A queue without a socket passes it.
  i.load(BPF_W, second, context, offsetof(xdp_md, rx_queue_index));
  i.load_map(first, sockets);
  i.move(third, XDP_PASS);
  i.call(BPF_FUNC_redirect_map);
  i.end();
  return i.take();
}

int call_bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

int make_map(std::size_t entries) {
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_XSKMAP;
  attributes.key_size = sizeof(std::uint32_t);
  attributes.value_size = sizeof(std::uint32_t);
  attributes.max_entries = static_cast<std::uint32_t>(entries);
  return call_bpf(BPF_MAP_CREATE, attributes);
}

int load(const std::vector<bpf_insn>& program) {
  constexpr const char* license = "BSD";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_XDP;
  attributes.insns = reinterpret_cast<std::uintptr_t>(program.data());
  attributes.insn_cnt = static_cast<std::uint32_t>(program.size());
  attributes.license = reinterpret_cast<std::uintptr_t>(license);
  std::strcpy(attributes.prog_name, "quadrille");
  return call_bpf(BPF_PROG_LOAD, attributes);
}

int attach_to(unsigned interface, int program, std::uint32_t flags) {
  bpf_attr attributes{};
  attributes.link_create.prog_fd = static_cast<std::uint32_t>(program);
  attributes.link_create.target_ifindex = interface;
  attributes.link_create.attach_type = BPF_XDP;
  attributes.link_create.flags = flags;
  return call_bpf(BPF_LINK_CREATE, attributes);
}

bool is_of_another_program(int error) { return error == EBUSY || error == EEXIST; }

}  // namespace

XdpProgram::~XdpProgram() {
  for (const int descriptor : {link_, program_, sockets_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

Result<bool> XdpProgram::attach(const EthernetInterface& interface, NetworkAddress local,
                                std::size_t longest_frame, std::size_t queues) {
  const auto failure = [&](const std::string& what) {
    return Error{ErrorKind::system, what + " on " + interface.name + ": " + std::strerror(errno)};
  };
  sockets_ = make_map(queues);
  if (sockets_ < 0) return failure("cannot make a map of AF_XDP sockets");
  program_ = load(instructions(local, longest_frame, sockets_));
  if (program_ < 0) return failure("cannot load an XDP program");
  link_ = attach_to(interface.index, program_, XDP_FLAGS_DRV_MODE);
  if (link_ < 0 && !is_of_another_program(errno))
    link_ = attach_to(interface.index, program_, XDP_FLAGS_SKB_MODE);
  if (link_ >= 0) return true;
  if (is_of_another_program(errno))
    return Error{ErrorKind::system, interface.name +
                                        " has an XDP program already, of another "
                                        "rank or of other software"};
  return failure("cannot attach an XDP program");
}

bool XdpProgram::enter(std::size_t queue, int socket) const {
  const auto key = static_cast<std::uint32_t>(queue);
  const auto value = static_cast<std::uint32_t>(socket);
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(sockets_);
  attributes.key = reinterpret_cast<std::uintptr_t>(&key);
  attributes.value = reinterpret_cast<std::uintptr_t>(&value);
  return call_bpf(BPF_MAP_UPDATE_ELEM, attributes) == 0;
}

}  // namespace quadrille::wire
