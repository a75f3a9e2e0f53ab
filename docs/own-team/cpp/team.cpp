// A field player: each message about what the robot sees is answered by one command. Whose robot it is, ROS_NAMESPACE says.
// Places are complex numbers x + yi, in m from the middle of the field: x towards the opponents' goal, y to the left.
#include <cmath>
#include <complex>
#include <map>
#include <vector>

#include <omnipitch_msgs/Perception.h>
#include <omnipitch_msgs/RobotCommand.h>
#include <ros/ros.h>

using omnipitch_msgs::Perception;
using omnipitch_msgs::RobotCommand;
using Place = std::complex<double>;
using Places = std::vector<Place>;

double clamp(double v, double limit) { return std::fmax(-limit, std::fmin(limit, v)); }
double wrap(double angle) { return std::remainder(angle, 2 * M_PI); }

// The place that is nearest to another, or the last argument if there is none.
Place nearest(const Places& places, Place to, Place found) {
  double least = INFINITY;
  for (const Place& p : places)
    if (std::abs(p - to) < least) least = std::abs(p - to), found = p;
  return found;
}

struct Player {
  Place me, ball, goal;          // where the robot is, the ball was seen last, and the opponents' goal is
  std::map<int, Place> numbers;  // where the other field players were seen last, by their numbers
  Places mates, rivals;          // the same places, and those of opponents that are seen
  bool first = false;            // of the field players this one is the nearest to the ball
  bool waits = false;            // a set piece has not been taken yet
  Place spot;                    // where the ball lies for it
  double since = 0;              // s, when play was not yet started
  enum { NONE, TAKER, RECEIVER } job = NONE;  // at an own set piece, until another robot than the taker has the ball
  bool passes = false, has = false;           // the ball to a mate; the ball
  Place took, corner;                         // where it took the ball; at which side of the goal it shoots
  Place v;                                    // m/s, as commanded

  // Returns the command that answers a message.
  RobotCommand decide(const Perception& m) {
    look(m);
    follow(m);
    if (!m.self_known || m.phase == "stopped" || m.phase == "parked") return v = 0, RobotCommand();  // it stands still
    if (waits && (m.phase == "set_piece" || job != TAKER)) {  // m from the ball: the rules' 1, 2 and 3, and what vision may err
      const bool receives = job == RECEIVER && m.set_piece != "penalty";
      return wait(m, job == TAKER ? 1 : receives ? 2.4 : m.set_piece == "drop_ball" ? 1.4 : 3.4);
    }
    if (m.holding) return attack(m);
    const bool keepers = goal.real() - ball.real() < 1.3 && std::abs(ball.imag()) < 2.3;  // ball, as it is near the goal
    return waits || (!keepers && (job == RECEIVER || (first && job != TAKER))) ? fetch(m) : wait(m, 3);
  }

  void look(const Perception& m) {
    me = {m.x, m.y}, goal = m.field_length / 2, first = true, mates.clear(), rivals.clear();
    if (m.holding) ball = me + std::polar(0.35, m.heading);  // it may be too near to be seen
    else if (m.phase == "set_piece" && m.set_piece == "kickoff") ball = 0;
    else if (m.ball_seen) ball += 0.5 * (Place(m.ball_x, m.ball_y) - ball);  // vision errs
    has = has && std::abs(ball - me) < 0.6;
    for (const auto& o : m.others) {
      if (o.team == m.team && o.number > 1) numbers[o.number] = {o.x, o.y};
      if (o.team != m.team && o.team != m.UNKNOWN) rivals.emplace_back(o.x, o.y);
    }
    for (const auto& [number, at] : numbers) {
      mates.push_back(at);  // of two that are as near to the ball, the one with the lower number goes for it
      first = first && std::abs(me - ball) + 0.2 * m.number < std::abs(at - ball) + 0.2 * number;
    }
  }

  // Remembers what a set piece asks of this robot.
  void follow(const Perception& m) {
    const double now = m.header.stamp.toSec();
    const auto taken = [&](const Places& by) { return std::abs(nearest(by, ball, goal) - ball) < 0.36; };
    if (m.phase != "playing") {
      waits = m.phase == "set_piece", since = now;
      job = !waits || m.set_piece_team != m.team ? NONE : first ? TAKER : RECEIVER;
    } else if (waits) {
      waits = m.set_piece != "drop_ball" && now - since < 10.5 && (now - since < 0.5 || std::abs(ball - spot) < 0.5);
    } else if (taken(rivals) || (job == TAKER ? taken(mates) : m.holding)) {
      job = NONE;
    }
    if (now - since < 0.5) spot = ball;  // the referee may have put it back
    passes = job == TAKER && m.set_piece != "penalty";
  }

  // Keeps so far from the ball, on the way to the own half, each number at an angle of its own.
  RobotCommand wait(const Perception& m, double room) {
    const double way = std::arg(Place(-m.field_length / 4) - ball);
    return go(m, ball + std::polar(room, way + 0.7 * (m.number - 2)), ball, 2.5, 3, {ball});
  }

  // Where the ball is to go: from our set piece to a mate, else into the goal.
  Place target() const { return passes ? nearest(mates, ball, goal) : goal + corner; }

  // Gets behind the ball, as seen from its target, and takes it.
  RobotCommand fetch(const Perception& m) {
    const double way = std::arg(ball - me), off = wrap(std::arg(target() - ball) - way);  // how far it has to drive round the ball
    const bool hurry = job == RECEIVER || (!waits && std::abs(nearest(rivals, ball, goal) - ball) < 1.5);
    const bool behind = std::abs(off) < 0.5 || std::abs(ball - me) < 0.5 || hurry;
    const Place ahead = 0.4 * Place(m.ball_vx, m.ball_vy) + std::polar(0.2, way);
    return go(m, behind ? ball + ahead : ball - std::polar(0.8, way + clamp(off, 0.8)), ball, 2.5, 3);
  }

  // Turns the ball to its target, carries it nearer, and kicks it.
  RobotCommand attack(const Perception& m) {
    const bool near = std::abs(goal - me) < 4.5;
    if (!has || !near)  // it chooses the corner that the keeper is farther from, and stays with it
      corner = {0, ((nearest(rivals, goal, goal) - me) / (goal - me)).imag() > 0 ? -0.75 : 0.75};
    if (!has) took = me, has = true;
    const Place at = target();
    const double far = std::abs(at - me), off = std::abs(wrap(std::arg(at - me) - m.heading)), carried = std::abs(me - took);
    const bool carries = !near && !passes && off < 0.8 && carried < 1.7;
    RobotCommand c = go(m, carries ? at : me + std::polar(0.1, m.heading), at, 2, 1.5);
    // The rules let it carry the ball for 3 m: before that it kicks, well aimed or not; far from the goal only a little ahead.
    c.kick = off < (passes ? 0.1 : near ? 0.04 : 0) || (carried > 1.7 && off < 0.3) || carried > 2.2;
    c.kick_speed = passes ? 2 + far / 2 : near ? 12 : 0.8;
    return c;
  }

  // Drives to a place, round other robots and what else is in the way, and turns to another place.
  RobotCommand go(const Perception& m, Place at, Place face, double speed, double turn, Places others = {}) {
    others.insert(others.end(), mates.begin(), mates.end());
    others.insert(others.end(), rivals.begin(), rivals.end());
    const double far = std::abs(at - me);
    Place to = (at - me) * std::fmin(2, speed / std::fmax(far, 1e-3));  // m/s
    for (const Place& o : others) {
      const double room = std::abs(o - me), aside = wrap(std::arg(to) - std::arg(o - me));
      if (std::abs(aside) > 1 || room > std::fmax(0.7, std::fmin(1.1, far))) continue;  // not in the way
      to = room < 0.7 ? 0 : std::polar(std::abs(to), std::arg(o - me) + std::copysign(1.3, aside));  // it pushes nobody
    }
    v += (to - v) * std::fmin(1, 0.12 / std::fmax(std::abs(to - v), 1e-3));  // 3.6 m/s^2 at 30 Hz: wheels slip with more
    const Place forward = v * std::polar(1., -m.heading);
    RobotCommand c;
    c.vx = forward.real(), c.vy = forward.imag(), c.dribble = true;
    c.omega = clamp(3 * wrap(std::arg(face - me) - m.heading), turn);
    return c;
  }
};

int main(int argc, char** argv) {
  ros::init(argc, argv, "team");
  ros::NodeHandle node;
  Player player;
  ros::Publisher commands = node.advertise<RobotCommand>("command", 1);
  const boost::function<void(const Perception&)> see = [&](const Perception& m) { commands.publish(player.decide(m)); };
  ros::Subscriber perception = node.subscribe<Perception>("perception", 1, see, {}, ros::TransportHints().tcpNoDelay());
  ros::spin();
}
