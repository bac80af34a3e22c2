#include "cli/file_server.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

constexpr std::size_t kMostRequest = 16384, kMostConnections = 64;
constexpr int kBacklog = 16;
constexpr timeval kReaderWaits{10, 0};  // of a browser that reads an answer

constexpr std::array<std::pair<const char*, const char*>, 9> kTypes{
    {{".html", "text/html; charset=utf-8"},
     {".mjs", "text/javascript; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".wasm", "application/wasm"},
     {".json", "application/json"},
     {".svg", "image/svg+xml"},
     {".txt", "text/plain; charset=utf-8"},
     {".gz", "application/gzip"}}};

const char* type_of(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  const auto found =
      std::ranges::find_if(kTypes, [&](const auto& type) { return extension == type.first; });
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

std::string message(const char* status, const char* type, const std::string& body,
                    const std::string& more = "") {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n{}\r\n{}",
      status, type, body.size(), more, body);
}

std::string refusal(const char* status, const std::string& more = "") {
  return message(status, "text/plain; charset=utf-8", std::string(status) + "\n", more);
}

/// `%20` and the like as bytes; what is no such escape stays.
std::string unescaped(const std::string& text) {
  const auto digit = [](char c) {
    const char* digits = "0123456789abcdef";
    const char* at = std::strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return c == 0 || at == nullptr ? -1 : static_cast<int>(at - digits);
  };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : digit(text[i + 2]);
    result += low < 0 ? text[i] : static_cast<char>(high * 16 + low);
    if (low >= 0) i += 2;
  }
  return result;
}

/// Pages of other sites that have a name for this machine have another host in their requests.
bool is_for_loopback(const std::string& request, std::uint16_t port) {
  std::istringstream lines(request);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t colon = line.find(':');
    if (colon != 4 || !std::equal(line.begin(), line.begin() + 4, "host", [](char a, char b) {
          return std::tolower(static_cast<unsigned char>(a)) == b;
        }))
      continue;
    const std::string host = line.substr(std::min(line.find_first_not_of(" \t", 5), line.size()));
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }
  return false;
}

void send_all(int socket, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t more = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return;
    sent += static_cast<std::size_t>(more);
  }
}

}  // namespace

FileServer::FileServer(std::map<std::string, std::string> files, std::uint16_t port)
    : files_(std::move(files)) {
  const auto refused = [&] {
    const std::string reason = std::strerror(errno);
    if (listening_ >= 0) close(listening_);
    return InputError(fmt::format("--port {}: cannot be used on 127.0.0.1: {}", port, reason));
  };
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening_ < 0) throw refused();
  const int on = 1;
  setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  if (bind(listening_, general, size) != 0 || listen(listening_, kBacklog) != 0 ||
      getsockname(listening_, general, &size) != 0)
    throw refused();
  port_ = ntohs(address.sin_port);
}

FileServer::~FileServer() {
  for (const Connection& connection : connections_) close(connection.socket);
  close(listening_);
}

void FileServer::serve() {
  while (true) {
    std::vector<pollfd> waiting{{listening_, POLLIN, 0}};
    for (const Connection& connection : connections_)
      waiting.push_back({connection.socket, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
    std::vector<Connection> left;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (waiting[i + 1].revents != 0 && advance(connections_[i]))
        close(connections_[i].socket);
      else
        left.push_back(std::move(connections_[i]));
    }
    connections_ = std::move(left);
    if (waiting[0].revents != 0) accept_one();
  }
}

void FileServer::accept_one() {
  const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kReaderWaits, sizeof kReaderWaits);
  if (connections_.size() == kMostConnections) {  // the oldest one sends nothing
    close(connections_.front().socket);
    connections_.erase(connections_.begin());
  }
  connections_.push_back({socket, ""});
}

bool FileServer::advance(Connection& connection) const {
  std::array<char, 4096> bytes{};
  const ssize_t got = recv(connection.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK;
  if (got == 0) return true;
  connection.request.append(bytes.data(), static_cast<std::size_t>(got));
  if (connection.request.size() > kMostRequest) {
    send_all(connection.socket, refusal("431 Request Header Fields Too Large"));
    return true;
  }
  if (connection.request.find("\r\n\r\n") == std::string::npos) return false;
  send_all(connection.socket, answer(connection.request));
  shutdown(connection.socket, SHUT_WR);
  return true;
}

std::string FileServer::answer(const std::string& request) const {
  std::istringstream line(request.substr(0, request.find("\r\n")));
  std::string method, target, version;
  line >> method >> target >> version;
  if (!version.starts_with("HTTP/1.")) return refusal("400 Bad Request");
  if (method != "GET") return refusal("405 Method Not Allowed", "Allow: GET\r\n");
  if (!is_for_loopback(request, port_)) return refusal("403 Forbidden");
  std::string name = unescaped(target.substr(0, target.find_first_of("?#")));
  if (name == "/") name = "/index.html";
  const auto file = files_.find(name);
  if (file == files_.end()) return refusal("404 Not Found");
  try {
    return message("200 OK", type_of(name), read_whole_file(file->second));
  } catch (const InputError&) {  // removed since
    return refusal("404 Not Found");
  }
}

}  // namespace logdepth::inline cli
