// Forecasts of the wall time that future sim time will take, for roscpp programs that plan ahead.
//
//   omnipitch_msgs::SimTime clock(node);           // after ros::init; spin or ros::spinOnce delivers its messages
//   if (clock.known()) {
//     clock.wall(0.033);                           // s of wall time until 33 ms of sim time have passed
//     clock.wallUpper(0.033);                      // the same, 95th percentile
//     clock.sim(0.040);                            // s of sim time that pass during 40 ms of computing
//     clock.readyBy(0.040, next_image);            // will 40 ms of computing be done when /clock shows next_image?
//   }
//
// roscpp's own sleep, Rate and Timer follow sim time by themselves. On the real robot there is no publisher of
// /simulation/speed, so known() stays false.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include <ros/ros.h>

#include <omnipitch_msgs/Speed.h>

namespace omnipitch_msgs {

// SimTime follows /simulation/speed. It belongs to the thread that calls its node's callbacks.
class SimTime {
public:
  explicit SimTime(ros::NodeHandle &node) : subscriber_(node.subscribe("/simulation/speed", 1, &SimTime::take, this)) {}

  bool known() const { return speed_ != nullptr; }
  const Speed &speed() const { return *speed_; } // the newest message

  // wall returns the wall time, s, that a sim time from now on will take; infinite while the simulation is paused.
  double wall(double sim) const { return wall(sim, speed_->likely); }
  double wallUpper(double sim) const { return wall(sim, speed_->upper); } // 95th percentile

  // sim returns the sim time, s, that will pass during a wall time from now on.
  double sim(double wall) const { return sim(wall, speed_->likely); }
  double simLeast(double wall) const { return sim(wall, speed_->upper); } // 5th percentile

  // readyBy reports whether computing of a duration, s, will likely be done when /clock shows stamp.
  bool readyBy(double work, ros::Time stamp) const { return work <= wall((stamp - ros::Time::now()).toSec()); }

private:
  using Points = std::vector<double>;

  void take(const Speed::ConstPtr &m) { speed_ = m; }

  // now returns the sim time since the message's stamp, s.
  double now() const { return std::max((ros::Time::now() - speed_->header.stamp).toSec(), 0.0); }

  double wall(double sim, const Points &forecast) const {
    if (speed_->ahead.empty()) return std::numeric_limits<double>::infinity();
    return line(speed_->ahead, forecast, now() + sim) - line(speed_->ahead, speed_->likely, now());
  }

  double sim(double wall, const Points &forecast) const {
    if (speed_->ahead.empty()) return 0;
    const double begun = line(speed_->ahead, speed_->likely, now());
    return std::max(line(forecast, speed_->ahead, begun + wall) - now(), 0.0);
  }

  // line interpolates linearly at x between (0, 0) and the points, and extrapolates from the last two.
  static double line(const Points &xs, const Points &ys, double x) {
    size_t i = 0;
    while (i + 1 < xs.size() && xs[i] < x) i++;
    const double x0 = i > 0 ? xs[i - 1] : 0, y0 = i > 0 ? ys[i - 1] : 0;
    return xs[i] > x0 ? y0 + (x - x0) * (ys[i] - y0) / (xs[i] - x0) : ys[i];
  }

  ros::Subscriber subscriber_;
  Speed::ConstPtr speed_;
};

} // namespace omnipitch_msgs
