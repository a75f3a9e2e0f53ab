// A roscpp node for the tests: peer udp TOPIC | peer udptcp TOPIC | peer once TOPIC | peer latch TOPIC
//
// once and latch publish one number when parameter TOPIC/go is set; latch publishes it latched.
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
    std::cout << "ready" << std::endl;
    while (ros::ok() && !ros::param::has(std::string(argv[2]) + "/go")) ros::WallDuration(0.01).sleep();
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
