// A roscpp node for the tests: peer names NAME… | peer udp TOPIC | peer udptcp TOPIC
#include <ros/network.h>
#include <ros/ros.h>
#include <std_msgs/Int32.h>
#include <iostream>

static void got(const std_msgs::Int32::ConstPtr& m) { std::cout << "got " << m->data << std::endl; }

int main(int argc, char** argv) {
  ros::init(argc, argv, "peer");
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "names") {
    std::cout << "node " << ros::this_node::getName() << "\nnamespace " << ros::this_node::getNamespace()
              << "\nhost " << ros::network::getHost() << "\nmaster " << ros::master::getURI() << std::endl;
    ros::NodeHandle n;  // sets private parameters
    for (int i = 2; i < argc; i++) {
      std::string name = argv[i];
      if (name[0] == '~') name = ros::this_node::getName() + "/" + name.substr(1);
      std::cout << "resolve " << argv[i] << " " << ros::names::resolve(name) << std::endl;
    }
    return 0;
  }
  ros::NodeHandle n;
  ros::TransportHints hints = ros::TransportHints().udp();
  if (mode == "udptcp") hints = hints.tcp();
  ros::Subscriber s = n.subscribe<std_msgs::Int32>(argv[2], 10, got, hints);
  std::cout << "ready" << std::endl;
  ros::spin();
}
