// A roscpp node as teams write them, which does what commands on stdin say; the bench's own node takes the same commands.
//
// usage: peer NAME ROLE TYPE TOPIC ...   ROLE is publish, subscribe, serve or call; TYPE image, odometry or ball
//
//   await TOPIC             waits until somebody subscribes to what is published
//   publish TOPIC RATE NS   publishes for NS ns, RATE times a second, or without pause if RATE is 0
//   draw TOPIC RATE NS      the same of images, each drawn before it is stamped, as a camera's is
//   take TOPIC              tells what was received since the last take
//   call TOPIC TIMES KEEP   calls a service, over one connection if KEEP is 1, else over one for each call
//
// Each answer is a line of JSON, times in ns; at the end of stdin the program ends.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "types.h"

static int64_t read(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// cpu is what the whole process has used, as the bench's own node reads it.
static int64_t cpu() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

static void answer(int64_t sent, int64_t used, int64_t span, int64_t lost, const std::vector<int64_t>& ns) {
  printf("{\"sent\":%ld,\"cpu_ns\":%ld,\"span_ns\":%ld,\"lost\":%ld,\"ns\":[", sent, used, span, lost);
  for (size_t i = 0; i < ns.size(); i++) printf(i ? ",%ld" : "%ld", ns[i]);
  printf("]}\n");
  fflush(stdout);
}

struct Inbox {
  std::mutex mutex;
  std::vector<int64_t> ns;  // from the stamp to the callback
  int64_t first = 0, last = 0, lost = 0, cpu_then = 0;
  uint32_t seq = 0;

  template <class M> void receive(const boost::shared_ptr<const M>& m) {
    int64_t now = read(CLOCK_REALTIME), stamp = m->header.stamp.toNSec();
    std::lock_guard<std::mutex> hold(mutex);
    if (seq && m->header.seq > seq + 1) lost += m->header.seq - seq - 1;
    seq = m->header.seq;
    if (ns.empty()) first = now;
    last = now;
    ns.push_back(now - stamp);
  }

  void take() {
    std::lock_guard<std::mutex> hold(mutex);
    answer(0, cpu() - cpu_then, last - first, lost, ns);
    ns.clear();
    lost = 0;
    cpu_then = cpu();
  }
};

template <class M> static void publish(ros::Publisher& pub, M& m, double rate, int64_t duration, std::function<void(int64_t)> draw = nullptr) {
  int64_t sent = 0, used = cpu(), begun = read(CLOCK_MONOTONIC), end = begun + duration;
  for (int64_t due = begun; read(CLOCK_MONOTONIC) < end; sent++) {
    if (draw) draw(sent);
    m.header.stamp.fromNSec(read(CLOCK_REALTIME));
    pub.publish(m);
    if (rate > 0) {
      due = begun + int64_t((sent + 1) * 1e9 / rate);
      timespec t{due / 1000000000, due % 1000000000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
    }
  }
  answer(sent, cpu() - used, read(CLOCK_MONOTONIC) - begun, 0, {});
}

static void call(ros::NodeHandle& node, const std::string& name, int times, bool keep) {
  ros::ServiceClient client = node.serviceClient<nubot_common::BallHandle>(name, keep);
  std::vector<int64_t> ns;
  int failed = 0;
  for (int i = 0; i < times; i++) {
    nubot_common::BallHandle ball;
    ball.request.enable = i;
    int64_t begun = read(CLOCK_MONOTONIC);
    // roscpp's client loses an answer now and then if the server closes the connection right after it.
    if (!client.call(ball) || ball.response.BallIsHolding != i) failed++;
    else ns.push_back(read(CLOCK_MONOTONIC) - begun);
  }
  answer(times, 0, 0, failed, ns);
}

int main(int argc, char** argv) {
  std::vector<std::string> args(argv, argv + argc);
  int none = 0;
  ros::init(none, argv, args[1], ros::init_options::NoSigintHandler | ros::init_options::NoRosout);
  ros::NodeHandle node;
  std::map<std::string, ros::Publisher> pubs;
  std::map<std::string, Inbox> inboxes;
  std::vector<ros::Subscriber> subs;
  std::vector<ros::ServiceServer> servers;
  sensor_msgs::Image image;
  image.header.frame_id = "camera";
  image.height = 480, image.width = 640, image.step = 1920, image.encoding = "bgr8";
  image.data.assign(480 * 1920, 7);
  nubot_common::OdoInfo odometry;
  odometry.header.frame_id = "base_link";

  for (size_t i = 2; i + 2 < args.size(); i += 3) {
    const std::string &role = args[i], &type = args[i + 1], &topic = args[i + 2];
    if (role == "publish" && type == "image") pubs[topic] = node.advertise<sensor_msgs::Image>(topic, 2);
    if (role == "publish" && type == "odometry") pubs[topic] = node.advertise<nubot_common::OdoInfo>(topic, 10);
    Inbox* in = &inboxes[topic];
    if (role == "subscribe" && type == "image")
      subs.push_back(node.subscribe<sensor_msgs::Image>(topic, 10, boost::function<void(const boost::shared_ptr<const sensor_msgs::Image>&)>(
          [in](const boost::shared_ptr<const sensor_msgs::Image>& m) { in->receive(m); })));
    if (role == "subscribe" && type == "odometry")
      subs.push_back(node.subscribe<nubot_common::OdoInfo>(topic, 100, boost::function<void(const boost::shared_ptr<const nubot_common::OdoInfo>&)>(
          [in](const boost::shared_ptr<const nubot_common::OdoInfo>& m) { in->receive(m); })));
    if (role == "serve")
      servers.push_back(node.advertiseService<BallHandleRequest, BallHandleResponse>(topic,
          boost::function<bool(BallHandleRequest&, BallHandleResponse&)>([](BallHandleRequest& q, BallHandleResponse& a) {
            a.BallIsHolding = q.enable;
            return true;
          })));
  }
  ros::AsyncSpinner spinner(1);
  spinner.start();
  answer(0, 0, 0, 0, {});

  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, topic;
    words >> name >> topic;
    if (name == "publish" || name == "draw") {
      double rate = 0;
      int64_t duration = 0;
      words >> rate >> duration;
      ros::Publisher& pub = pubs[topic];
      if (pub.getTopic().find("odometry") != std::string::npos) publish(pub, odometry, rate, duration);
      else if (name == "draw") publish(pub, image, rate, duration, [&](int64_t n) { std::fill(image.data.begin(), image.data.end(), uint8_t(n)); });
      else publish(pub, image, rate, duration);
    } else if (name == "await") {
      while (pubs[topic].getNumSubscribers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      answer(0, 0, 0, 0, {});
    } else if (name == "take") {
      inboxes[topic].take();
    } else if (name == "call") {
      int times = 0, keep = 0;
      words >> times >> keep;
      call(node, topic, times, keep);
    }
  }
  ros::shutdown();
}
