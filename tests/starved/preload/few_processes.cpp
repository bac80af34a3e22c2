// A machine on which few threads and no processes can be started, as in a container with a limit on
// them: loaded before the system's library. STARVED_THREADS says how many threads at a time.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

std::atomic<int> left = [] {
  const char* const given = std::getenv("STARVED_THREADS");
  return given ? std::atoi(given) : 0;
}();

struct Begun {
  void* (*work)(void*);
  void* of;
};

void* counted(void* pointer) {
  const Begun begun = *static_cast<Begun*>(pointer);
  delete static_cast<Begun*>(pointer);
  void* const result = begun.work(begun.of);
  ++left;
  return result;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* of) {
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (left-- <= 0) {
    ++left;
    return EAGAIN;
  }
  auto* const begun = new Begun{work, of};
  const int error = create(thread, attributes, counted, begun);
  if (error != 0) {
    delete begun;
    ++left;
  }
  return error;
}

extern "C" pid_t fork() {
  errno = EAGAIN;
  return -1;
}
extern "C" int posix_spawn(void*, const void*, const void*, const void*, const void*, const void*) {
  return EAGAIN;
}
extern "C" int posix_spawnp(void*, const void*, const void*, const void*, const void*,
                            const void*) {
  return EAGAIN;
}
