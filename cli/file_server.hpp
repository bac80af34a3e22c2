#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace logdepth::inline cli {

/// Serves files over HTTP on loopback, to browsers of this machine. Only the names that it was given
/// are answered, so no path in a request can lead elsewhere. GET only; a connection has one request.
/// One thread: connections that send nothing, as browsers open them ahead, hold up no others.
class FileServer {
 public:
  /// Names are paths of addresses (`/index.html`), values are files. Port 0: a free one.
  /// Errors: InputError where the port cannot be used.
  FileServer(std::map<std::string, std::string> files, std::uint16_t port);
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Until the program ends.
  [[noreturn]] void serve();

 private:
  struct Connection {
    int socket = -1;
    std::string request;
  };

  void accept_one();
  /// Whether the connection is done with.
  bool advance(Connection& connection) const;
  std::string answer(const std::string& request) const;

  std::map<std::string, std::string> files_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::vector<Connection> connections_;
};

}  // namespace logdepth::inline cli
