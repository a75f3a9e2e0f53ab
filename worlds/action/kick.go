package action

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Kick makes a robot kick in the next step. The robot kicks the ball that it holds, or a ball within reach.
type Kick struct {
	Robot        string        `toml:"robot" required:"true"`
	Way          string        `toml:"way" required:"true" oneof:"flat|lob|none" doc:"kick along the floor, through the air, or not at all"`
	Speed        float64       `toml:"speed_m_s" doc:"speed of the ball, for a flat kick"`
	LobSpeed     float64       `toml:"lob_speed_m_s" doc:"speed of the ball, for a lob; 0 aims at the goal"`
	LobElevation float64       `toml:"lob_elevation_deg" range:"[0, 90)" doc:"elevation at which a lob leaves; 0 is the kicker's lob_angle_deg"`
	LobFlight    time.Duration `toml:"lob_flight_s" range:"[0, 10]" doc:"time that a lob takes to the goal line ahead, of either team; elevation and speed follow from it, and lob_speed_m_s, unless 0, limits the horizontal speed. 0 leaves the elevation as given"`
	ToTarget     bool          `toml:"to_target" doc:"whether a flat kick aims at a point: the distance of the point sets the speed, so that the ball needs about 1 s to get there"`
	TargetX      float64       `toml:"target_x_m" doc:"that point in the robot's frame; it must lie within 10° of straight ahead, because every kick goes straight ahead"`
	TargetY      float64       `toml:"target_y_m" doc:"as target_x_m, to the left"`
	Limit        float64       `toml:"limit_m_s" range:"[0, inf]" doc:"upper limit of a flat kick's speed"`
	Now          bool          `toml:"now" doc:"whether the robot kicks; false does nothing"`
	Absolute     bool          `toml:"absolute" doc:"whether the kick's velocity replaces the ball's; false adds it to the ball's"`
	Reach        float64       `toml:"reach_m" range:"[0, 2]" doc:"largest distance of the ball's centre from the robot's origin, on the floor, at which the robot kicks a ball that it does not hold; 0: as the reach of the robot's kicker says, and without one only a held ball"`
	ReachAngle   float64       `toml:"reach_angle_deg" range:"[0, 180]" doc:"largest bearing of such a ball, to either side; 0 is any"`
}

// SetDefaults sets a kick that is not delayed and has no speed limit.
func (k *Kick) SetDefaults() { k.Limit, k.Now = math.Inf(1), true }

func (k *Kick) Validate(w World) error {
	if r, err := w.FindRobot(k.Robot); err == nil && r.Kicker == nil && k.Way != "none" {
		return violation("robot", k.Robot, errors.New("has no kicker"))
	}
	if err := validateReach(k.Reach, k.ReachAngle); err != nil {
		return err
	}
	if bearing := math.Atan2(k.TargetY, k.TargetX); k.ToTarget && !(math.Abs(bearing) <= maxOffTarget &&
		k.TargetX > 0) {
		return violation("target_x_m", k.TargetX, fmt.Errorf("with target_y_m = %g, must lie within %.0f° of "+
			"straight ahead, because every kick goes straight ahead", k.TargetY, maxOffTarget/spatial.Degree))
	}
	var c physics.Command
	if k.Change(&c); !(math.Abs(c.Kick.Speed) <= physics.MaxPlausible) {
		key, speed := "speed_m_s", k.speed()
		if k.Way == "lob" {
			key, speed = "lob_speed_m_s", k.LobSpeed
		}
		return violation(key, speed, fmt.Errorf("must lie in [-%g, %[1]g]", physics.MaxPlausible))
	}
	return validate(k, w)
}

// maxOffTarget is the maximum bearing of a target, in radians. 10° is a guess: at 3 m it is half a metre.
const maxOffTarget = 10 * spatial.Degree

// targetTime is the time in which the ball gets to a target at the speed of the kick, in s. 1 s is a guess: a pass of 3
// m at 3 m/s arrives on short carpet.
const targetTime = 1.0

// speed returns the speed of a flat kick, without the limit.
func (k *Kick) speed() float64 {
	if k.ToTarget {
		return math.Hypot(k.TargetX, k.TargetY) / targetTime
	}
	return k.Speed
}

func (k *Kick) Do(s Simulation) error    { return giveCommand(k, s) }
func (k *Kick) Commands() (robot string) { return k.Robot }

func (k *Kick) Change(c *physics.Command) bool {
	if !k.Now {
		return false
	}
	kick := physics.Kick{
		Elevation: k.LobElevation, Flight: k.LobFlight.Seconds(), Absolute: k.Absolute,
		Reach: physics.Reach{Distance: k.Reach, Angle: k.ReachAngle},
	}
	switch k.Way {
	case "flat":
		kick.Mode, kick.Speed = physics.FlatKick, min(max(k.speed(), 0), k.Limit)
	case "lob":
		kick.Mode, kick.Speed = physics.LobKick, k.LobSpeed
	default:
		return false
	}
	c.Kick = kick
	return true
}
