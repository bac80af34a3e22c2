#include "base/worker_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace logdepth { inline namespace base {
namespace {

/// Threads that are joined, whatever happens; as many as the system gives.
class Threads {
 public:
  explicit Threads(std::size_t room) { threads_.reserve(room); }
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t size() const { return threads_.size(); }
  /// False where no thread is to be had: too many of them, or no room for another stack.
  template <class Work>
  bool start(const Work& work) {
    try {
      threads_.emplace_back(work);
      return true;
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

void share_work(std::size_t parts, std::size_t threads,
                const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex one_at_a_time;
  std::exception_ptr thrown;
  const auto take_parts = [&] {
    for (std::size_t part = next++; part < parts; part = next++) {
      try {
        work(part);
      } catch (...) {
        const std::lock_guard lock(one_at_a_time);
        if (!thrown) thrown = std::current_exception();
        next = parts;
      }
    }
  };
  {
    const std::size_t wanted = std::min(parts, threads);
    Threads others(wanted);
    for (std::size_t i = 1; i < wanted; ++i)
      if (!others.start(take_parts)) break;
    take_parts();
  }
  if (thrown) std::rethrow_exception(thrown);
}

std::size_t startable_threads(std::size_t wanted) {
  std::latch counted(1);
  Threads others(wanted);
  while (others.size() + 1 < wanted && others.start([&counted] { counted.wait(); })) {
  }
  const std::size_t started = others.size() + 1;
  counted.count_down();
  return started;
}

}}  // namespace logdepth::base
