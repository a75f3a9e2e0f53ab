// A robot's program as a team writes it with roscpp: it knows ROS and nothing of the simulator. Headers of messages
// come from ROS's generator.
//
//   attacker watch SECONDS TOPIC...   prints every image until SECONDS of sim time are covered; 0 is for ever
//   attacker attack X Y HEADING GOAL_X GOAL_Y   (m, rad) finds the ball in the front camera's pixels, fetches it,
//                                               turns by odometry to a point in the goal, and shoots
//   attacker answer ROBOT             commands ROBOT for each message of /clock, and waits for nothing to be connected
//
// What it sees goes to stdout, one line each, for the test to judge:
//   image TOPIC STAMP_NS NOW_NS ENCODING WIDTH HEIGHT STEP BYTES
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <ros/callback_queue.h>
#include <ros/ros.h>

#include <nav_msgs/Odometry.h>
#include <nubot_common/BallHandle.h>
#include <nubot_common/Shoot.h>
#include <nubot_common/VelCmd.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>

namespace {

void spin() { ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05)); }

void print(const std::string& topic, const sensor_msgs::Image& m) {
  std::printf("image %s %llu %llu %s %u %u %u %zu\n", topic.c_str(),
              static_cast<unsigned long long>(m.header.stamp.toNSec()),
              static_cast<unsigned long long>(ros::Time::now().toNSec()), m.encoding.c_str(), m.width, m.height, m.step,
              m.data.size());
  std::fflush(stdout);
}

struct Span {
  ros::Time first, last;
};

// covered tells whether every topic has brought frames over the same stretch of sim time.
bool covered(const std::map<std::string, Span>& seen, size_t topics, double seconds) {
  if (seconds <= 0 || seen.size() < topics) return false;
  ros::Time from, to = seen.begin()->second.last;
  for (const auto& s : seen) {
    from = std::max(from, s.second.first);
    to = std::min(to, s.second.last);
  }
  return (to - from).toSec() >= seconds;
}

int watch(ros::NodeHandle& node, double seconds, char** topics, int n) {
  std::map<std::string, Span> seen;
  std::vector<ros::Subscriber> subs;
  for (int i = 0; i < n; i++) {
    const std::string topic = topics[i];
    const boost::function<void(const sensor_msgs::ImageConstPtr&)> got = [&seen, topic](const sensor_msgs::ImageConstPtr& m) {
      print(topic, *m);
      auto s = seen.insert({topic, {m->header.stamp, m->header.stamp}}).first;
      s->second.last = m->header.stamp;
    };
    subs.push_back(node.subscribe<sensor_msgs::Image>(topic, 100, got, {}, ros::TransportHints().tcpNoDelay()));
  }
  while (ros::ok() && !covered(seen, n, seconds)) spin();
  return ros::ok() ? 0 : 1;
}

int answer(const std::string& robot) {
  ros::NodeHandle node("/" + robot);
  const ros::Publisher velocity = node.advertise<nubot_common::VelCmd>("nubotcontrol/velcmd", 1);
  const boost::function<void(const rosgraph_msgs::ClockConstPtr&)> got = [&velocity](const rosgraph_msgs::ClockConstPtr& m) {
    nubot_common::VelCmd command;
    command.Vx = 50 * std::sin(m->clock.toSec());
    velocity.publish(command);
  };
  const ros::Subscriber clock = node.subscribe<rosgraph_msgs::Clock>("/clock", 100, got);
  while (ros::ok()) spin();
  return 0;
}

double clamp(double v, double limit) { return std::max(-limit, std::min(limit, v)); }

class Attacker {
 public:
  Attacker(ros::NodeHandle& node, char** pose)
      : startX_(std::atof(pose[0])), startY_(std::atof(pose[1])), startHeading_(std::atof(pose[2])),
        goalX_(std::atof(pose[3])), goalY_(std::atof(pose[4])),
        image_(node.subscribe("front_vision/image_raw", 1, &Attacker::look, this)),
        info_(node.subscribe("front_vision/camera_info", 1, &Attacker::calibrate, this)),
        odom_(node.subscribe("odom", 1, &Attacker::locate, this)),
        velocity_(node.advertise<nubot_common::VelCmd>("nubotcontrol/velcmd", 1)),
        handle_(node.serviceClient<nubot_common::BallHandle>("BallHandle", true)),
        shoot_(node.serviceClient<nubot_common::Shoot>("Shoot", true)) {}

  int play() {
    handle_.waitForExistence();
    shoot_.waitForExistence();
    while (ros::ok() && !(focal_ > 0 && seen_ && located_ && velocity_.getNumSubscribers() > 0)) spin();
    nubot_common::BallHandle take;
    take.request.enable = 1;
    do {
      spin();
      chase();
      if (!handle_.call(take)) return fail("BallHandle");
    } while (ros::ok() && take.response.BallIsHolding != 1);
    std::puts("held");
    nubot_common::Shoot kick;
    kick.request.strength = 10;
    kick.request.ShootPos = -1;
    for (bool aimed = false; ros::ok() && !aimed; ) {
      spin();
      const double off = std::remainder(std::atan2(goalY_ - y_, goalX_ - x_) - heading_, 2 * M_PI);
      aimed = std::abs(off) < 0.01 && std::abs(omega_) < 0.05;
      drive(0, 0, aimed ? 0 : clamp(3 * off, 1.5));
    }
    if (!shoot_.call(kick)) return fail("Shoot");
    if (kick.response.ShootIsDone != 1) return fail("ShootIsDone");
    std::puts("shot");
    for (const ros::Time end = ros::Time::now() + ros::Duration(1.5); ros::ok() && ros::Time::now() < end;) {
      drive(0, 0, 0);
      spin();
    }
    return 0;
  }

 private:
  static int fail(const char* what) {
    std::printf("failed: %s\n", what);
    return 1;
  }

  void drive(double vx, double vy, double omega) {
    nubot_common::VelCmd m;
    m.Vx = 100 * vx, m.Vy = 100 * vy, m.w = omega;
    velocity_.publish(m);
  }

  // chase turns to the ball and drives there; what is too near for the camera lies straight ahead.
  void chase() {
    if (!visible_) return drive(0.4, 0, 0);
    drive(std::max(0.4, std::min(1.5, distance_ - 0.5)), 0, clamp(3 * bearing_, 1.5));
  }

  void look(const sensor_msgs::Image& m) {
    print("/cyan1/front_vision/image_raw", m);
    if (focal_ == 0) return;
    double sum = 0;
    int count = 0;
    unsigned left = m.width, right = 0;
    for (unsigned v = 0; v < m.height; v++) {
      for (unsigned u = 0; u < m.width; u++) {
        const uint8_t* p = &m.data[v * m.step + 3 * u];
        if (p[0] < 110 || p[0] < p[2] + 90 || p[1] > p[0]) continue;  // the orange of the ball
        sum += u;
        count++;
        left = std::min(left, u);
        right = std::max(right, u);
      }
    }
    visible_ = count > 40;
    if (!visible_) return;
    seen_ = true;
    const double ballDiameter = 0.22;
    bearing_ = std::atan((0.5 * (m.width - 1) - sum / count) / focal_);
    distance_ = focal_ * ballDiameter / (right - left + 1);
  }

  void calibrate(const sensor_msgs::CameraInfo& m) { focal_ = m.K[0]; }

  void locate(const nav_msgs::Odometry& m) {
    const auto& p = m.pose.pose.position;
    const auto& q = m.pose.pose.orientation;
    const double s = std::sin(startHeading_), c = std::cos(startHeading_);
    x_ = startX_ + c * p.x - s * p.y;
    y_ = startY_ + s * p.x + c * p.y;
    heading_ = startHeading_ + 2 * std::atan2(q.z, q.w);
    omega_ = m.twist.twist.angular.z;
    located_ = true;
  }

  const double startX_, startY_, startHeading_, goalX_, goalY_;
  ros::Subscriber image_, info_, odom_;
  ros::Publisher velocity_;
  ros::ServiceClient handle_, shoot_;
  double focal_ = 0, bearing_ = 0, distance_ = 0, x_ = 0, y_ = 0, heading_ = 0, omega_ = 0;
  bool visible_ = false, seen_ = false, located_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "attacker", ros::init_options::AnonymousName);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "watch" && argc > 3) {
    ros::NodeHandle node;
    return watch(node, std::atof(argv[2]), argv + 3, argc - 3);
  }
  if (mode == "attack" && argc == 7) {
    ros::NodeHandle node("/cyan1");
    return Attacker(node, argv + 2).play();
  }
  if (mode == "answer" && argc == 3) return answer(argv[2]);
  std::fputs("usage: attacker watch SECONDS TOPIC... | attack X Y HEADING GOAL_X GOAL_Y | answer ROBOT\n", stderr);
  return 2;
}
