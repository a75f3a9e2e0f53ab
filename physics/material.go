package physics

// Material is the material of a body's surface.
type Material uint8

const (
	Carpet Material = iota
	Board           // boards around the border
	Post            // goal posts and bars
	Net
	Hull  // hull of a robot
	Crate // surface of an obstacle
)

// Contact is the contact parameters of two materials.
type Contact struct {
	Friction    float64 `toml:"friction" range:"[0, 5]" doc:"coefficient of dry friction"`
	Restitution float64 `toml:"restitution" range:"[0, 1]" doc:"share of the closing speed with which the bodies separate"`
}

// Contacts is the contact parameters of all pairs of materials.
type Contacts struct {
	BallCarpet   Contact  `toml:"ball_carpet" doc:"contact of the ball with the carpet"`
	BallRobot    Contact  `toml:"ball_robot" doc:"contact of the ball with a robot's hull"`
	BallObstacle Contact  `toml:"ball_obstacle" doc:"contact of the ball with an obstacle"`
	BallBoard    Contact  `toml:"ball_board" doc:"contact of the ball with the boards around the field"`
	BallPost     Contact  `toml:"ball_post" doc:"contact of the ball with posts and bars"`
	BallNet      Contact  `toml:"ball_net" doc:"contact of the ball with a net"`
	WheelCarpet  Friction `toml:"wheel_carpet" doc:"contact of wheels with the carpet, along their grip"`
	Robot        Friction `toml:"robot" doc:"contact of robots with robots, obstacles and static bodies"`
	Obstacle     Friction `toml:"obstacle_carpet" doc:"contact of obstacles with the carpet"`
}

// Friction is the parameter of a contact without restitution: robots and obstacles do not bounce.
type Friction struct {
	Friction float64 `toml:"friction" range:"[0, 5]" doc:"coefficient of dry friction"`
}

// DefaultContacts returns the table of a carpeted hall.
func DefaultContacts() Contacts {
	return Contacts{
		// friction measured: the ball slides, then rolls, within a robot's length. Restitution is a guess: FIFA asks
		// for 0.76–0.91 on steel, and carpet takes some of it
		BallCarpet:   Contact{0.5, 0.65},
		BallRobot:    Contact{0.25, 0.3},  // guess
		BallObstacle: Contact{0.25, 0.3},  // guess
		BallBoard:    Contact{0.25, 0.65}, // guess: wood
		BallPost:     Contact{0.25, 0.65}, // guess
		// guess: a loose net stops the ball. With friction the net would spin the ball, and the spinning ball would
		// roll out of the goal again
		BallNet: Contact{0, 0.05},
		// measured: robots follow the circle at 2 m/s best without sticking
		WheelCarpet: Friction{0.75},
		Robot:       Friction{0.25}, // measured: robots neither climb up nor stick to each other
		Obstacle:    Friction{0.25}, // guess
	}
}

// Ball returns the contact parameters of the ball with a material.
func (c *Contacts) Ball(with Material) Contact {
	switch with {
	case Board:
		return c.BallBoard
	case Post:
		return c.BallPost
	case Net:
		return c.BallNet
	case Hull:
		return c.BallRobot
	case Crate:
		return c.BallObstacle
	}
	return c.BallCarpet
}
