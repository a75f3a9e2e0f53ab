// A roscpp node for the tests: peer udp TOPIC | peer udptcp TOPIC | peer once TOPIC | peer latch TOPIC
//
// once publishes one number as soon as somebody is connected, latch at once and latched.
#include <ros/ros.h>
#include <std_msgs/Int32.h>
#include <iostream>

static void got(const std_msgs::Int32::ConstPtr& m) { std::cout << "got " << m->data << std::endl; }

int main(int argc, char** argv) {
  ros::init(argc, argv, "peer");
  std::string mode = argc > 1 ? argv[1] : "";
  ros::NodeHandle n;
  if (mode == "once" || mode == "latch") {
    ros::Publisher p = n.advertise<std_msgs::Int32>(argv[2], 10, mode == "latch");
    while (ros::ok() && mode == "once" && p.getNumSubscribers() == 0) ros::WallDuration(0.01).sleep();
    std_msgs::Int32 m;
    m.data = 7;
    p.publish(m);
    ros::spin();
    return 0;
  }
  ros::TransportHints hints = ros::TransportHints().udp();
  if (mode == "udptcp") hints = hints.tcp();
  ros::Subscriber s = n.subscribe<std_msgs::Int32>(argv[2], 10, got, hints);
  std::cout << "ready" << std::endl;
  ros::spin();
}
