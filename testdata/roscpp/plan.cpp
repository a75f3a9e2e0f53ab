// Prints what testdata/rospy/plan.py does, by the helper for roscpp.
#include <cstdio>

#include <omnipitch_msgs/Predict.h>
#include <omnipitch_msgs/sim_time.h>

int main(int argc, char **argv) {
  ros::init(argc, argv, "plan_roscpp");
  ros::NodeHandle node;
  omnipitch_msgs::SimTime clock(node);
  ros::ServiceClient predict = node.serviceClient<omnipitch_msgs::Predict>("/simulation/predict", true);
  predict.waitForExistence();
  while (ros::ok()) {
    ros::spinOnce();
    if (clock.known()) {
      const omnipitch_msgs::Speed &m = clock.speed();
      const ros::Time soon = ros::Time::now() + ros::Duration(0.1);
      omnipitch_msgs::Predict call;
      call.request.sim = 0.1;
      call.request.wall = 0.04;
      if (!predict.call(call)) break; // the simulation ends
      const auto &a = call.response;
      std::printf("plan %s %d %.9g %.9g %.9g %.9g %.9g %.9g %.9g %d %d %d %.9g %.9g %.9g %.9g\n", m.speed.c_str(), m.paused, m.target, m.next_target,
                  m.measured, clock.wall(0.1), clock.wallUpper(0.1), clock.sim(0.04), clock.simLeast(0.04), clock.readyBy(0.04, soon),
                  clock.readyBy(0.06, soon), a.known, a.wall_likely, a.wall_upper, a.sim_likely, a.sim_least);
      std::fflush(stdout);
    }
    ros::WallDuration(0.05).sleep();
  }
}
