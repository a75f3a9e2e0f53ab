// A roscpp node for the tests: peer udp TOPIC | peer udptcp TOPIC
#include <ros/ros.h>
#include <std_msgs/Int32.h>
#include <iostream>

static void got(const std_msgs::Int32::ConstPtr& m) { std::cout << "got " << m->data << std::endl; }

int main(int argc, char** argv) {
  ros::init(argc, argv, "peer");
  std::string mode = argc > 1 ? argv[1] : "";
  ros::NodeHandle n;
  ros::TransportHints hints = ros::TransportHints().udp();
  if (mode == "udptcp") hints = hints.tcp();
  ros::Subscriber s = n.subscribe<std_msgs::Int32>(argv[2], 10, got, hints);
  std::cout << "ready" << std::endl;
  ros::spin();
}
