#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

constexpr std::uint32_t kMostRequest = 16384;
constexpr std::chrono::seconds kBrowserWaits{10};

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

using Answer = http::response<http::string_body>;

Answer message(http::status status, const std::string& type, std::string body) {
  Answer answer(status, 11, std::move(body));
  answer.set(http::field::content_type, type);
  answer.set(http::field::cache_control, "no-cache");
  answer.set("X-Content-Type-Options", "nosniff");
  answer.keep_alive(false);
  answer.prepare_payload();
  return answer;
}

Answer refusal(http::status status) {
  const std::string why = fmt::format("{} {}\n", static_cast<unsigned>(status),
                                      std::string(http::obsolete_reason(status)));
  return message(status, "text/plain; charset=utf-8", why);
}

/// `%20` and the like as bytes; what is no such escape stays.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    result += escape ? static_cast<char>(byte) : text[i];
    if (escape) i += 2;
  }
  return result;
}

/// Serves files over HTTP on loopback, to browsers of this machine. Only the names that it was given
/// are answered, so no path in a request can lead elsewhere. GET and HEAD; a connection has one request.
/// One thread: connections that send nothing, as browsers open them ahead, hold up no others.
class FileServer {
 public:
  /// Names are paths of addresses (`/index.html`), values are files. Port 0: a free one.
  /// Errors: InputError where the port cannot be used.
  FileServer(std::map<std::string, std::string> files, std::uint16_t port)
      : files_(std::move(files)) {
    try {
      listening_ =
          tcp::acceptor(context_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), port));
      port_ = listening_.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw InputError(
          fmt::format("--port {}: cannot be used on 127.0.0.1: {}", port, error.code().message()));
    }
    fcntl(listening_.native_handle(), F_SETFD, FD_CLOEXEC);  // the browser outlives the server
    accept();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Until the program ends.
  void serve() { context_.run(); }

 private:
  using Request = http::request_parser<http::empty_body>;
  struct Connection {
    explicit Connection(tcp::socket socket) : stream(std::move(socket)) {
      request.header_limit(kMostRequest);
      stream.expires_after(kBrowserWaits);
    }
    beast::tcp_stream stream;
    beast::flat_buffer bytes;
    Request request;
    Answer answer;
  };

  void accept() {
    listening_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (!error) read(std::make_shared<Connection>(std::move(socket)));
      accept();
    });
  }

  void read(const std::shared_ptr<Connection>& on) {
    http::async_read_header(
        on->stream, on->bytes, on->request, [this, on](beast::error_code error, std::size_t) {
          const bool refused = error.category() == make_error_code(http::error{}).category();
          if (error == http::error::end_of_stream || (error && !refused)) return;
          on->answer = error == http::error::header_limit
                           ? refusal(http::status::request_header_fields_too_large)
                       : error ? refusal(http::status::bad_request)
                               : answer(on->request.get());
          on->stream.expires_after(kBrowserWaits);
          http::async_write(on->stream, on->answer, [on](beast::error_code none, std::size_t) {
            on->stream.socket().shutdown(tcp::socket::shutdown_send, none);
          });
        });
  }

  Answer answer(const Request::value_type& request) {
    if (request.method() == http::verb::get) return file_for(request);
    if (request.method() == http::verb::head) {
      Answer headers = file_for(request);  // its length is that of the body
      headers.body().clear();
      return headers;
    }
    Answer refused = refusal(http::status::method_not_allowed);
    refused.set(http::field::allow, "GET, HEAD");
    return refused;
  }

  Answer file_for(const Request::value_type& request) {
    // Pages of other sites that have a name for this machine have another host in their requests.
    const std::string host(request[http::field::host]), target(request.target());
    if (host != fmt::format("127.0.0.1:{}", port_) && host != fmt::format("localhost:{}", port_))
      return refusal(http::status::forbidden);
    std::string name = unescaped(target.substr(0, target.find_first_of("?#")));
    if (name == "/") name = "/index.html";
    const auto file = files_.find(name);
    if (file == files_.end()) return refusal(http::status::not_found);
    try {
      std::string text = read_whole_file(file->second);
      const std::string type = type_of(name), encodings(request[http::field::accept_encoding]);
      if (encodings.find("gzip") == std::string::npos || name.ends_with(".gz"))
        return message(http::status::ok, type, std::move(text));
      Packed& known = packed_[name];
      if (known.text != text) known = {text, packed(text)};
      Answer answer = message(http::status::ok, type, known.bytes);
      answer.set(http::field::content_encoding, "gzip");
      answer.set(http::field::vary, "Accept-Encoding");
      return answer;
    } catch (const InputError&) {  // removed since
      return refusal(http::status::not_found);
    }
  }

  /// A file that was packed by gzip, and its text at that time.
  struct Packed {
    std::string text, bytes;
  };

  std::map<std::string, std::string> files_;
  std::map<std::string, Packed> packed_;
  boost::asio::io_context context_{1};
  tcp::acceptor listening_{context_};
  std::uint16_t port_ = 0;
};

namespace fs = std::filesystem;

constexpr std::uint64_t kMostPort = 65535;

struct PlayOptions {
  std::string file, folder;
  std::uint16_t port = 0;
  bool no_open = false;
};

bool has_page(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / "index.html", none);
}

/// The folder beside the build folder of this program, or where it is installed.
fs::path folder_of_page(const std::string& given) {
  if (!given.empty()) {
    if (has_page(given)) return given;
    throw InputError("--folder: expected a folder with index.html, found " + in_quotes(given) +
                     "; ./make_playground.sh makes one");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder :
       {program / "../playground", program / "../share/logdepth/playground"})
    if (has_page(folder)) return folder;
  throw InputError(
      "the folder of the page is missing: run ./make_playground.sh, or name it with --folder");
}

/// By their paths in addresses.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace("/" + entry.path().lexically_relative(folder).generic_string(),
                    entry.path().string());
  return files;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_')
      result += c;
    else
      result += fmt::format("%{:02X}", byte);
  }
  return result;
}

/// With the program that opens addresses. Without one, the printed address is there.
void open_in_browser(std::string address) {
  std::string program = "xdg-open";
  std::array<char*, 3> arguments = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
}

int play(const PlayOptions& options) {
  const fs::path folder = folder_of_page(options.folder);
  std::map<std::string, std::string> files = files_in(folder);
  std::string question;
  if (!options.file.empty()) {
    (void)read_whole_file(options.file);  // refused here rather than in the page
    const std::string name = fs::path(options.file).filename().string();
    files["/examples/" + name] = fs::absolute(options.file).string();
    question = "#kind=file&file=" + escaped(name);
  }
  FileServer server(std::move(files), options.port);
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", server.port(), question);
  std::cout << address << std::endl;
  if (!options.no_open) open_in_browser(address);
  server.serve();
  return kDone;
}

}  // namespace

Command add_play(CLI::App& app) {
  auto options = std::make_shared<PlayOptions>();
  CLI::App* command = app.add_subcommand(
      "play",
      "serve the playground, a page that runs networks exactly, to a browser of this machine; "
      "Ctrl-C ends it\nExample: logdepth play abb.json");
  command->add_option("FILE", options->file, "weights file to open in the page");
  command->add_option("--folder", options->folder,
                      "folder that ./make_playground.sh wrote (default: the one of this program)");
  command->add_option("--port", options->port, "port on 127.0.0.1 (default: a free one)")
      ->check(count_up_to(kMostPort));
  command->add_flag("--no-open", options->no_open, "print the address without opening a browser");
  return [options] { return play(*options); };
}

}}  // namespace logdepth::cli
