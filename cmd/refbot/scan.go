package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/omnipitch/omnipitch/cmd/refbot/laser"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// scanCmd drives a robot by its laser scanner.
type scanCmd struct {
	Robot     string   `env:"ROS_NAMESPACE" help:"Namespace of the robot. Default: ROS_NAMESPACE."`
	Box       []string `sep:"none" placeholder:"X,Y,LENGTH,WIDTH[,HEADING]" help:"A box of the map, by its centre, its sides and its heading, m and degrees (repeatable). Boards around a field are a box, too. The map must not be symmetric. Bodies that are not on the map are avoided as well."`
	Goal      []string `sep:"none" placeholder:"X,Y" help:"A place to drive to, m (repeatable, in order)."`
	Mount     string   `default:"-0.131,0" placeholder:"X,Y" help:"Position of the scanner on the robot, m. It looks forward. Default: as on model differential."`
	Speed     float64  `default:"0.8" help:"Highest speed, m/s."`
	MasterURI string   `name:"master" env:"ROS_MASTER_URI" help:"Address of the ROS 1 master."`
	Host      string   `env:"ROS_IP" help:"Address at which other nodes reach this machine."`
}

// config reads the flags.
func (c *scanCmd) config() (cfg laser.Config, err error) {
	var boxes []laser.Box
	for _, text := range c.Box {
		b, err := laser.ReadBox(text)
		if err != nil {
			return cfg, fmt.Errorf("--box %.80q: %w", text, err)
		}
		boxes = append(boxes, b)
	}
	for _, text := range c.Goal {
		g, err := laser.ReadPlace(text)
		if err != nil {
			return cfg, fmt.Errorf("--goal %.80q: %w", text, err)
		}
		cfg.Goals = append(cfg.Goals, g)
	}
	if len(cfg.Goals) == 0 {
		return cfg, errors.New("no goal: --goal must name one")
	}
	if cfg.Mount.Pos, err = laser.ReadPlace(c.Mount); err != nil {
		return cfg, fmt.Errorf("--mount %.80q: %w", c.Mount, err)
	}
	if cfg.Speed = c.Speed; !(c.Speed > 0 && c.Speed <= 3) {
		return cfg, fmt.Errorf("--speed %v: must lie in (0, 3]", c.Speed)
	}
	if cfg.Map, err = laser.NewMap(boxes); err != nil {
		return cfg, fmt.Errorf("--box: %w", err)
	}
	return cfg, nil
}

// run drives until the context ends or the robot's node is shut down.
func (c *scanCmd) run(ctx context.Context) error {
	names, err := expand(c.Robot)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("--robot: %.80q: must be one robot", c.Robot)
	}
	cfg, err := c.config()
	if err != nil {
		return err
	}
	d := &scanDriver{nav: laser.NewNavigator(cfg)}
	robot, err := wire.Connect(wire.Config{Namespace: names[0], MasterURI: c.MasterURI, Host: c.Host, ByEyes: true,
		Eyes: func(r *wire.Robot) error { return d.connect(r, names[0]) }}, d)
	if err != nil {
		return err
	}
	defer robot.Close()
	select {
	case <-ctx.Done():
		return nil
	case <-robot.Done():
		return errors.New("robot " + names[0] + ": its node was shut down")
	}
}

// scanDriver is the player of a robot with a laser scanner. Its perceptions are scans.
type scanDriver struct {
	wire.Silent
	mu      sync.Mutex // messages of several topics arrive on several goroutines
	nav     *laser.Navigator
	scan    laser.Scan
	stamp   msg.Header
	command laser.Command
}

// connect subscribes to scans, odometry and poses.
func (d *scanDriver) connect(r *wire.Robot, space string) error {
	return errors.Join(
		wire.Take(r, space+"/odom", "nav_msgs/Odometry", func(m *msg.Odometry) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.nav.Odometry(m.Header.Stamp.Since(), floorPose(&m.Pose.Pose))
		}),
		wire.Take(r, space+"/scan", "sensor_msgs/LaserScan", func(m *msg.LaserScan) {
			d.take(m)
			r.Perceive(&msg.Perception{Header: m.Header})
		}),
		wire.Take(r, space+"/laser_pose", "geometry_msgs/PoseStamped", func(m *msg.PoseStamped) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.nav.Pose(m.Header.Stamp.Since(), floorPose(&m.Pose))
		}))
}

// take processes a scan.
func (d *scanDriver) take(m *msg.LaserScan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.scan.First, d.scan.Step, d.scan.Ranges = float64(m.AngleMin), float64(m.AngleIncrement), d.scan.Ranges[:0]
	for _, r := range m.Ranges {
		d.scan.Ranges = append(d.scan.Ranges, float64(r))
	}
	d.stamp = m.Header
	d.command = d.nav.Scan(m.Header.Stamp.Since(), &d.scan)
}

func (d *scanDriver) Decide(*msg.Perception) msg.RobotCommand {
	d.mu.Lock()
	defer d.mu.Unlock()
	return msg.RobotCommand{VX: d.command.V, Omega: d.command.Omega}
}

// Pose fills in the robot's pose at the newest scan. The driver has no other beliefs.
func (d *scanDriver) Pose(m *msg.PoseStamped) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.nav.At(d.stamp.Stamp.Since())
	m.Header = msg.Header{Stamp: d.stamp.Stamp, FrameID: "map"}
	m.Pose.Position = msg.Point{X: p.Pos[0], Y: p.Pos[1]}
	m.Pose.Orientation = msg.Quaternion{Z: math.Sin(p.Heading / 2), W: math.Cos(p.Heading / 2)}
	return ok
}

func (*scanDriver) Ball(*msg.PointStamped) bool  { return false }
func (*scanDriver) Others(*msg.PoseArray) bool   { return false }
func (*scanDriver) Path(*msg.Path) bool          { return false }
func (*scanDriver) Status(*msg.RobotStatus) bool { return false }

// floorPose returns a pose of a message without its height and tilt.
func floorPose(p *msg.Pose) locate.Pose {
	return locate.Pose{Pos: pitch.Vec{p.Position.X, p.Position.Y},
		Heading: 2 * math.Atan2(p.Orientation.Z, p.Orientation.W)}
}

var _ wire.Believer = (*scanDriver)(nil)

// program is refbot with its commands.
type program struct {
	Play cli     `cmd:"" default:"withargs" help:"Play soccer. This is the default."`
	Scan scanCmd `cmd:"" help:"Drive a robot to places by its laser scanner: locate it by scans and a map, and avoid collisions by the scans. While topic laser_pose has poses, it takes these and uses the scans for avoidance alone. The robot needs the profiles standard and refbot."`
}

// run runs the command that the arguments named.
func (p *program) run(ctx context.Context, command string) error {
	if command == "scan" {
		return p.Scan.run(ctx)
	}
	return p.Play.run(ctx)
}
