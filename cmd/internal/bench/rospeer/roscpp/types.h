// Messages and a service in the form that gencpp writes, so that only roscpp itself need be installed.
#pragma once

#include <string>
#include <vector>

#include <ros/ros.h>
#include <std_msgs/Header.h>

namespace sensor_msgs {
struct Image {
  std_msgs::Header header;
  uint32_t height = 0, width = 0;
  std::string encoding;
  uint8_t is_bigendian = 0;
  uint32_t step = 0;
  std::vector<uint8_t> data;
};
}  // namespace sensor_msgs

namespace nubot_common {
struct OdoInfo {
  std_msgs::Header header;
  float Vx = 0, Vy = 0, w = 0;
  uint8_t RobotStuck = 0, PowerState = 0;
};
struct BallHandle {
  struct Request { int64_t enable = 0; } request;
  struct Response { int64_t BallIsHolding = 0; } response;
  typedef struct Request RequestType;
  typedef struct Response ResponseType;
};
}  // namespace nubot_common

// TRAITS tells roscpp a type's name, md5 sum and definition; the latter reaches recorders only.
#define TRAITS(T, NAME, SUM, TEXT)                                          \
  namespace ros { namespace message_traits {                                \
  template <> struct DataType<T> {                                          \
    static const char* value() { return NAME; }                             \
    static const char* value(const T&) { return value(); }                  \
  };                                                                        \
  template <> struct MD5Sum<T> {                                            \
    static const char* value() { return SUM; }                              \
    static const char* value(const T&) { return value(); }                  \
  };                                                                        \
  template <> struct Definition<T> {                                        \
    static const char* value() { return TEXT; }                             \
    static const char* value(const T&) { return value(); }                  \
  };                                                                        \
  template <> struct IsMessage<T> : TrueType {};                            \
  } }
#define WITH_HEADER(T)                                                      \
  namespace ros { namespace message_traits {                                \
  template <> struct HasHeader<T> : TrueType {};                            \
  } }
#define FIELDS(T, ...)                                                      \
  namespace ros { namespace serialization {                                 \
  template <> struct Serializer<T> {                                        \
    template <typename S, typename M> static void allInOne(S& s, M m) { __VA_ARGS__ } \
    ROS_DECLARE_ALLINONE_SERIALIZER                                         \
  };                                                                        \
  } }
#define SERVICE_TRAITS(T, NAME, SUM)                                        \
  namespace ros { namespace service_traits {                                \
  template <> struct MD5Sum<T> {                                            \
    static const char* value() { return SUM; }                              \
    static const char* value(const T&) { return value(); }                  \
  };                                                                        \
  template <> struct DataType<T> {                                          \
    static const char* value() { return NAME; }                             \
    static const char* value(const T&) { return value(); }                  \
  };                                                                        \
  } }

TRAITS(sensor_msgs::Image, "sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743",
       "Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n")
WITH_HEADER(sensor_msgs::Image)
FIELDS(sensor_msgs::Image, s.next(m.header); s.next(m.height); s.next(m.width); s.next(m.encoding);
       s.next(m.is_bigendian); s.next(m.step); s.next(m.data);)

TRAITS(nubot_common::OdoInfo, "nubot_common/OdoInfo", "b4f534aa8c080899ef112a410cc2c113",
       "Header header\nfloat32 Vx\nfloat32 Vy\nfloat32 w\nbool RobotStuck\nbool PowerState\n")
WITH_HEADER(nubot_common::OdoInfo)
FIELDS(nubot_common::OdoInfo, s.next(m.header); s.next(m.Vx); s.next(m.Vy); s.next(m.w);
       s.next(m.RobotStuck); s.next(m.PowerState);)

typedef nubot_common::BallHandle::Request BallHandleRequest;
typedef nubot_common::BallHandle::Response BallHandleResponse;
#define BALL_HANDLE_SUM "f352f0080766880a151542e750a50ea8"
TRAITS(BallHandleRequest, "nubot_common/BallHandleRequest", "c72133dd88f3c751f622755eeb9383c7", "int64 enable\n")
TRAITS(BallHandleResponse, "nubot_common/BallHandleResponse", "371e9ec4fdab9c30277b932f121cf460",
	"int64 BallIsHolding\n")
FIELDS(BallHandleRequest, s.next(m.enable);)
FIELDS(BallHandleResponse, s.next(m.BallIsHolding);)
SERVICE_TRAITS(nubot_common::BallHandle, "nubot_common/BallHandle", BALL_HANDLE_SUM)
SERVICE_TRAITS(BallHandleRequest, "nubot_common/BallHandle", BALL_HANDLE_SUM)
SERVICE_TRAITS(BallHandleResponse, "nubot_common/BallHandle", BALL_HANDLE_SUM)
