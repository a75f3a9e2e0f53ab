// A roscpp node that relays every type it was compiled for: /in/package/Type to /cpp/package/Type, and calls of
// /cpp/package/Service to /go/package/Service, each message through its generated class.
#include "relay.h"
#include <ros/ros.h>
#include <iostream>

typedef std::vector<uint8_t> Bytes;

// Raw is bytes that were serialised already.
struct Raw {
  Bytes bytes;
};

namespace ros {
namespace message_traits {
template <> struct IsMessage<Raw> : TrueType {};
template <> struct MD5Sum<Raw> {
  static const char* value() { return "*"; }
  static const char* value(const Raw&) { return "*"; }
};
template <> struct DataType<Raw> {
  static const char* value() { return "*"; }
  static const char* value(const Raw&) { return "*"; }
};
}  // namespace message_traits
namespace serialization {
template <> struct Serializer<Raw> {
  template <class Stream> static void write(Stream& s, const Raw& m) {
    if (!m.bytes.empty()) memcpy(s.advance(m.bytes.size()), m.bytes.data(), m.bytes.size());
  }
  static uint32_t serializedLength(const Raw& m) { return m.bytes.size(); }
};
}  // namespace serialization
}  // namespace ros

static void fail(const std::string& type) { std::cout << "FAILED " << type << std::endl; }

struct Relay : ros::SubscriptionCallbackHelper {
  Message type;
  ros::Publisher pub;
  ros::VoidConstPtr deserialize(const ros::SubscriptionCallbackHelperDeserializeParams& p) override {
    boost::shared_ptr<Raw> out(new Raw);
    if (!type.again(p.buffer, p.length, out->bytes)) fail(type.type);
    return out;
  }
  void call(ros::SubscriptionCallbackHelperCallParams& p) override {
    pub.publish(*static_cast<const Raw*>(p.event.getMessage().get()));
  }
  const std::type_info& getTypeInfo() override { return typeid(Raw); }
  bool isConst() override { return true; }
  bool hasHeader() override { return type.header; }
};

struct ServiceRelay : ros::ServiceCallbackHelper {
  Service type;
  ros::ServiceClient client;
  bool call(ros::ServiceCallbackHelperCallParams& p) override {
    Bytes bytes;
    uint8_t* in = p.request.message_start;
    if (!type.request(in, p.request.num_bytes - (in - p.request.buf.get()), bytes)) fail(type.type);
    ros::SerializedMessage request(boost::shared_array<uint8_t>(new uint8_t[bytes.size() + 4]), bytes.size() + 4), response;
    uint32_t n = bytes.size();
    memcpy(request.buf.get(), &n, 4);
    if (n) memcpy(request.buf.get() + 4, bytes.data(), n);
    if (!client.call(request, response, type.md5)) return false;
    in = response.message_start;
    if (!in) in = response.buf.get();
    if (!type.response(in, response.num_bytes - (in - response.buf.get()), bytes)) fail(type.type);
    n = bytes.size();
    p.response = ros::SerializedMessage(boost::shared_array<uint8_t>(new uint8_t[n + 5]), n + 5);
    p.response.buf[0] = 1;
    memcpy(p.response.buf.get() + 1, &n, 4);
    if (n) memcpy(p.response.buf.get() + 5, bytes.data(), n);
    return true;
  }
};

int main(int argc, char** argv) {
  ros::init(argc, argv, "cpp");
  ros::NodeHandle node;
  std::vector<ros::Subscriber> subs;
  std::vector<ros::ServiceServer> servers;
  for (const Message& m : messages()) {
    boost::shared_ptr<Relay> r(new Relay);
    r->type = m;
    ros::AdvertiseOptions a("/cpp/" + m.type, 10, m.md5, m.type, m.definition);
    a.has_header = m.header;
    r->pub = node.advertise(a);
    ros::SubscribeOptions s;
    s.topic = "/in/" + m.type;
    s.queue_size = 10;
    s.md5sum = m.md5;
    s.datatype = m.type;
    s.helper = r;
    subs.push_back(node.subscribe(s));
  }
  for (const Service& t : services()) {
    boost::shared_ptr<ServiceRelay> r(new ServiceRelay);
    r->type = t;
    ros::ServiceClientOptions c("/go/" + t.type, t.md5, false, ros::M_string());
    r->client = node.serviceClient(c);
    ros::AdvertiseServiceOptions a;
    a.service = "/cpp/" + t.type;
    a.md5sum = t.md5;
    a.datatype = t.type;
    a.req_datatype = t.type + "Request";
    a.res_datatype = t.type + "Response";
    a.helper = r;
    servers.push_back(node.advertiseService(a));
  }
  std::cout << "ready " << subs.size() << " " << servers.size() << std::endl;
  ros::spin();
}
