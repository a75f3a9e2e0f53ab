// What a relay knows of a type: its generated traits, and how to read and write it field by field.
#pragma once
#include <ros/message_traits.h>
#include <ros/serialization.h>
#include <ros/service_traits.h>
#include <cstdint>
#include <string>
#include <vector>

typedef bool (*Again)(const uint8_t* in, uint32_t n, std::vector<uint8_t>& out);

// again deserialises a message and serialises it; it says no where bytes are left over.
template <class M>
bool again(const uint8_t* in, uint32_t n, std::vector<uint8_t>& out) {
  M m;
  ros::serialization::IStream is(const_cast<uint8_t*>(in), n);
  ros::serialization::deserialize(is, m);
  out.resize(ros::serialization::serializationLength(m));
  ros::serialization::OStream os(out.data(), out.size());
  ros::serialization::serialize(os, m);
  return is.getLength() == 0 && os.getLength() == 0;
}

struct Message {
  std::string type, md5, definition;
  bool header;
  Again again;
};

struct Service {
  std::string type, md5;
  Again request, response;
};

template <class M>
Message message() {
  namespace mt = ros::message_traits;
  return {mt::datatype<M>(), mt::md5sum<M>(), mt::definition<M>(), mt::hasHeader<M>(), again<M>};
}

template <class S>
Service service() {
  return {ros::service_traits::datatype<S>(), ros::service_traits::md5sum<S>(), again<typename S::Request>,
	again<typename S::Response>};
}

std::vector<Message> messages();
std::vector<Service> services();
