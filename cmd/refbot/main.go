// Command refbot is the reference robot. It plays soccer over ROS 1 and knows nothing about the simulator. One process
// plays for any number of robots.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
)

type cli struct {
	Robots    string `help:"Namespaces of the robots to play for, such as cyan1 or cyan1..5,magenta1..5. Default: ROS_NAMESPACE."`
	Strategy  string `default:"cards" enum:"cards,radio,challenge,challenge-in-place,chase,flee" help:"cards: a match, coordinated by what each robot sees of its teammates. radio: a match, coordinated by radio messages; the world must give the robots a radio. challenge: the technical challenge, in which two robots pass without communication. challenge-in-place: the same, without moving to better positions. chase: drives the robots of a team with strategy flee into a circle of 2 m before their own goal. flee: keeps away from the other team until it is caught there."`
	League    string `default:"middle-size" enum:"middle-size,humanoid" help:"middle-size: robots on wheels. humanoid: robots of model humanoid-kid, which walk and have a camera in the head, by the rules of the Humanoid Soccer League; their world needs the profiles standard and refbot."`
	MasterURI string `name:"master" env:"ROS_MASTER_URI" help:"Address of the ROS 1 master."`
	Host      string `env:"ROS_IP" help:"Address at which other nodes reach this machine."`
	sight
}

// vision returns the configuration of the vision node of a robot.
func (c *cli) vision(name string) (cfg node.Config, err error) {
	if c.League == "humanoid" {
		cfg, err = c.headConfig(strings.TrimPrefix(name, "/"))
	} else {
		cfg, err = c.config(strings.TrimPrefix(name, "/"))
	}
	cfg.Namespace, cfg.MasterURI, cfg.Host = name, c.MasterURI, c.Host
	return cfg, err
}

const description = `The reference robot of Omnipitch. It plays soccer over ROS 1 with the messages of profile refbot.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var p program
	command := kong.Parse(&p, kong.Description(description)).Command()
	if err := p.run(ctx, command); err != nil {
		fmt.Fprintf(os.Stderr, "refbot: %v\n", err)
		os.Exit(1)
	}
}

// run plays until the context ends or a robot's node is shut down.
func (c *cli) run(ctx context.Context) error {
	if c.Robots == "" {
		c.Robots = os.Getenv("ROS_NAMESPACE")
	}
	names, err := expand(c.Robots)
	if err != nil {
		return err
	}
	if c.ByImages && c.Calibration == "" {
		return errors.New("--by-images: needs --calibration")
	}
	if err := c.checkLeague(names); err != nil {
		return err
	}
	ended, failed := make(chan string, 2*len(names)), make(chan error, 1)
	if c.KinectColors != "" && len(c.Kinects) == 0 {
		return errors.New("--kinect-color-table: needs --kinect")
	}
	ends := func(name string, done <-chan struct{}) {
		<-done
		ended <- name
	}
	for _, name := range names {
		var eyes *node.Node
		at := wire.Config{Namespace: name, MasterURI: c.MasterURI, Host: c.Host,
			Fail: func(err error) {
				select {
				case failed <- err:
				default: // another robot has failed
				}
			}}
		var look node.Config
		if c.sees() {
			if look, err = c.vision(name); err != nil {
				return err
			}
		}
		see := func(p *node.Player) (err error) { // plays no soccer if p is nil
			look.Player = p
			eyes, err = node.Connect(look)
			return err
		}
		who := soccer.NewPlayer(soccer.Strategy(c.Strategy))
		if c.ByImages {
			who.PlayByImages()
		}
		if c.League == "humanoid" {
			who.PlayOnLegs()
		}
		if at.ByEyes = c.ByImages; c.ByImages || len(c.Kinects) > 0 {
			at.Eyes = func(r *wire.Robot) error { return see(c.player(name, r, who)) }
		}
		robot, err := wire.Connect(at, who)
		if err == nil && c.sees() && at.Eyes == nil {
			err = see(nil)
		}
		if eyes != nil {
			defer eyes.Close()
			go ends(name, eyes.Done())
		}
		if robot != nil {
			defer robot.Close()
			go ends(name, robot.Done())
		}
		if err != nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	case name := <-ended:
		return errors.New("robot " + name + ": its node was shut down")
	}
}

// checkLeague parses the flags that are for humanoids, and returns an error for those that are not for the league.
// names are the robots' namespaces.
func (c *cli) checkLeague(names []string) error {
	humanoid := c.League == "humanoid"
	if s := soccer.Strategy(c.Strategy); humanoid && s != soccer.ByCards && s != soccer.ByRadio {
		return fmt.Errorf("--strategy %s: is not for --league humanoid, which plays by cards or radio", s)
	}
	for _, f := range []struct {
		name           string
		given, refused bool
		rule           string
	}{
		{"--kinect", len(c.Kinects) > 0, humanoid, wheelsOnly},
		{"--mates", c.Mates != "", humanoid, wheelsOnly},
		{"--color-table", c.Colors != "", humanoid, wheelsOnly},
		{"--calibration", c.Calibration != "", humanoid && !c.ByImages, "needs --by-images, with --league humanoid"},
		{"--start", len(c.Start) > 0, !humanoid || !c.ByImages, headOnly},
		{"--neck", c.Neck != "", !humanoid || !c.ByImages, headOnly},
		{"--head-camera", c.HeadCamera != "", !humanoid || !c.ByImages, headOnly},
	} {
		if f.given && f.refused {
			return fmt.Errorf("%s: %s", f.name, f.rule)
		}
	}
	return c.readStarts(names)
}

const (
	wheelsOnly = "is for robots on wheels, and not for --league humanoid"
	headOnly   = "needs --by-images and --league humanoid"
)

// maxRobots is the largest number of robots in a list of namespaces. No world has as many robots.
const maxRobots = 100

var (
	single = regexp.MustCompile(`^/?[A-Za-z][A-Za-z0-9_]*$`)
	series = regexp.MustCompile(`^(/?[A-Za-z][A-Za-z0-9_]*?)(\d{1,3})\.\.(\d{1,3})$`)
)

// expand returns the namespaces in a list, with ranges written out: cyan1..3 becomes cyan1, cyan2 and cyan3.
func expand(list string) (names []string, err error) {
	if list == "" {
		return nil, errors.New("no robot: --robots or ROS_NAMESPACE must name one")
	}
	for word := range strings.SplitSeq(list, ",") {
		from, to, stem := 0, 0, ""
		if m := series.FindStringSubmatch(word); m != nil {
			stem = m[1]
			from, _ = strconv.Atoi(m[2])
			to, _ = strconv.Atoi(m[3])
		} else if !single.MatchString(word) {
			return nil, fmt.Errorf("--robots: %.80q: must be a name, or a row of names such as cyan1..5", word)
		}
		if from > to {
			return nil, fmt.Errorf("--robots: %.80q: must begin with the lower number", word)
		}
		for i := from; i <= to; i++ {
			name := "/" + strings.TrimPrefix(word, "/")
			if stem != "" {
				name = fmt.Sprintf("/%s%d", strings.TrimPrefix(stem, "/"), i)
			}
			if slices.Contains(names, name) {
				return nil, fmt.Errorf("--robots: %s is named twice", name)
			}
			if names = append(names, name); len(names) > maxRobots {
				return nil, fmt.Errorf("--robots: must name at most %d robots", maxRobots)
			}
		}
	}
	return names, nil
}
