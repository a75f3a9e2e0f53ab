package sensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/beams"
)

// Lidar is a laser scanner with several rings of beams, which turns about the z axis of its own frame. Each turn is one
// frame. The beams of a column start at one instant.
type Lidar struct {
	Rings      int       `toml:"rings" range:"[1, 128]" doc:"number of rings, spread evenly from lowest_deg to highest_deg"`
	Lowest     float64   `toml:"lowest_deg" range:"[-90, 90]" doc:"elevation of the lowest ring"`
	Highest    float64   `toml:"highest_deg" range:"[-90, 90]" doc:"elevation of the highest ring"`
	Elevations []float64 `toml:"elevations_deg" range:"[-90, 90]" doc:"elevations of all rings, lowest first, instead of the three keys above"`
	Points     int       `toml:"points_per_turn" range:"[8, 4096]" doc:"beams of a ring in one turn"`
	Min        float64   `toml:"min_m" range:"[0, 10]" doc:"least measured distance"`
	Max        float64   `toml:"max_m" range:"(0, 300]" doc:"largest measured distance"`
	Noise      float64   `toml:"noise_m" range:"[0, 1]" doc:"standard deviation of a distance"`
	Step       float64   `toml:"step_mm" range:"[0, 100]" doc:"resolution of the distance; 0 for none"`
	Width      float64   `toml:"beam_width_deg" range:"[0, 2]" doc:"full horizontal angle of a beam; a beam that meets several surfaces has several returns"`
	Height     float64   `toml:"beam_height_deg" range:"[0, 2]" doc:"full vertical angle of a beam"`
	Returns    string    `toml:"returns" oneof:"strongest|last|dual" doc:"which return of a beam is measured; dual: both, if they differ"`
	Separation float64   `toml:"separation_m" range:"[0, 10]" doc:"surfaces nearer to each other along a beam have one common return, between them"`
	DarkRange  float64   `toml:"dark_range_m" range:"(0, 1000]" doc:"distance at which half of the beams that meet a matt surface of 10 % reflectance at a right angle return; a darker, more mirror-like or more oblique surface returns less"`
}

// SetDefaults sets the values of a Velodyne VLP-16. The method row gives their source.
func (l *Lidar) SetDefaults() {
	*l = Lidar{
		Rings: 16, Lowest: -15 * spatial.Degree, Highest: 15 * spatial.Degree, Points: 1800,
		Min: 0.4, Max: 100, Noise: 0.01, Step: 0.002, Width: 0.17 * spatial.Degree, Height: 0.09 * spatial.Degree,
		Returns: "strongest", Separation: 1, DarkRange: 60,
	}
}

func (*Lidar) row() *kind {
	return &kind{
		levels: abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Truth}, rate: 10,
		reading: PointCloud{}, sweeps: true,
		profiles: []profile{
			// Sources: Velodyne's data sheet 63-9229 of the VLP-16: 16 rings 2° apart from −15° to 15°, 100 m, 10 turns
			// per second at 0.2°, ±3 cm, which are read as three standard deviations; its manual 63-9243: steps of 2
			// mm. The widths of a beam, 3.0 and 1.5 mrad, and the 1 m between two returns are from the manual of the
			// VLS-128, whose optics are similar (section 6.2.3 and table F-1). The least distance is that of ROS's
			// driver velodyne_pointcloud. The range for dark surfaces is a guess.
			{"velodyne-vlp16", func(c *Config) { c.Lidar, c.Rate = new(Lidar), 10; c.Lidar.SetDefaults() }},
		},
	}
}

// Validate reports violations of rules that involve several fields.
func (l *Lidar) Validate(violate func(field string, value any, rule string)) {
	if l.Min >= l.Max {
		violate("Max", l.Max, "must be larger than {Min}")
	}
	if len(l.Elevations) == 0 && l.Rings > 1 && l.Lowest >= l.Highest {
		violate("Highest", l.Highest, "must be larger than {Lowest}")
	}
	if len(l.Elevations) > mostRings {
		violate("Elevations", nil, fmt.Sprintf("has %d elevations: must be at most %d", len(l.Elevations), mostRings))
	}
	for i := 1; i < len(l.Elevations); i++ {
		if l.Elevations[i] <= l.Elevations[i-1] {
			violate(fmt.Sprintf("Elevations[%d]", i), l.Elevations[i], "must be larger than the one before")
		}
	}
}

// mostRings is the largest number of rings.
const mostRings = 128

// elevations returns the elevations of the rings, rad, lowest first.
func (l *Lidar) elevations() []float64 {
	if len(l.Elevations) > 0 {
		return l.Elevations
	}
	all := make([]float64, l.Rings)
	for i := range all {
		all[i] = l.Lowest + (l.Highest-l.Lowest)*float64(i)/float64(max(l.Rings-1, 1))
	}
	return all
}

// PointCloud is one turn of a Lidar: the points where its beams returned, in the order of the columns, and from the
// lowest ring to the highest in a column. At level truth all points belong to the stamp, at other levels each belongs
// to its own time.
type PointCloud struct {
	// PoseWB is the robot's true pose at the stamp. It is valid if PoseKnown is true, which is so at level truth.
	PoseWB    spatial.Pose `quantity:"pose." frame:"world"`
	PoseKnown bool         `quantity:"pose.known"`
	Beams     int          // number of beams, with and without return
	Min, Max  float64      // measuring range, m
	Points    []LidarPoint `quantity:"points."`
}

// LidarPoint is one return of a beam.
type LidarPoint struct {
	X, Y, Z float32 // in the scanner's frame at the time of the beam, m
	// Intensity is the light that returned, corrected for the distance: 100 for a white matt surface that the beam
	// meets at a right angle. It is at most 255.
	Intensity float32
	Time      float32 // from the stamp, s; not positive, because the stamp is the end of the turn
	Ring      uint16  // 0 is the lowest
}

// MarshalJSON writes the numbers of beams and of points, and the pose if it is known. It leaves out the points.
func (p *PointCloud) MarshalJSON() ([]byte, error) {
	j := struct {
		Pose   *poseJSON `json:"pose,omitempty"`
		Beams  int       `json:"beams"`
		Points int       `json:"points"`
	}{Beams: p.Beams, Points: len(p.Points)}
	if p.PoseKnown {
		j.Pose = poseOf(p.PoseWB)
	}
	return json.Marshal(j)
}

// AppendXYZIRT appends the points in the layout of Velodyne's ROS driver, little-endian and 22 bytes each: x, y, z,
// intensity, ring, time.
func (p *PointCloud) AppendXYZIRT(to []byte) []byte {
	to = slices.Grow(to, 22*len(p.Points))
	for i := range p.Points {
		q := &p.Points[i]
		for _, x := range [...]float32{q.X, q.Y, q.Z, q.Intensity} {
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
		}
		to = binary.LittleEndian.AppendUint16(to, q.Ring)
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(q.Time))
	}
	return to
}

// scramble moves each point along its beam to a random distance within the measuring range.
func (p *PointCloud) scramble(noise random.Source) {
	for i := range p.Points {
		q := &p.Points[i]
		along := mgl64.Vec3{float64(q.X), float64(q.Y), float64(q.Z)}.Normalize()
		along = along.Mul((p.Max+p.Min)/2 + evenly(noise, uint64(i), (p.Max-p.Min)/2))
		q.X, q.Y, q.Z = float32(along[0]), float32(along[1]), float32(along[2])
	}
	p.PoseWB, p.PoseKnown = spatial.Identity(), false
}

// lidar measures with beams at the meshes of the render.Scene: what images show returns the beams.
type lidar struct {
	device
	spec   *Lidar
	body   int // the robot, in the scene
	caster *beams.Caster
	// alongC are the directions of a column's beams in the frame of the column, whose x axis has the column's bearing.
	alongC   []mgl64.Vec3
	besideC  []mgl64.Vec3 // four further rays of each of these beams, in the middles of the quarters of its footprint
	bearings []mgl64.Vec2 // unit vectors of the columns' bearings
	turnSC   []mgl64.Quat // rotations of the columns

	// The fields below are memory for one frame.
	sectors  []beams.Sector
	columns  []beams.Column
	echoes   []beams.Echo  // of the centres of beams, by column and ring
	returned [][2]response // of each beam
	level    abstraction.Level
	frame    random.Source
	castAll  func(sector int) // methods, kept because making such a value allocates
	readAll  func(sector int)
}

// response is a measured return of a beam. Its distance is 0 if there is none.
type response struct{ distance, intensity float32 }

// sectorColumns is the largest number of columns in a sector: a narrow sector leaves out most of the scene, a wide one
// is aimed less often. 30 is a guess.
const sectorColumns = 30

func (l *Lidar) build(d device, site Site) (Sensor, error) {
	if site.Scene == nil {
		return nil, fmt.Errorf("sensor %s: kind = %q: needs a scene", d.cfg.Name, d.cfg.Kind)
	}
	model, err := site.Cache.beamModel(site.Scene)
	if err != nil {
		return nil, fmt.Errorf("sensor %s: %w", d.cfg.Name, err)
	}
	s := &lidar{device: d, spec: l, caster: beams.NewCaster(model, l.Width, l.Height), body: site.bodyIndex()}
	for _, e := range l.elevations() {
		sin, cos := math.Sincos(e)
		s.alongC = append(s.alongC, mgl64.Vec3{cos, 0, sin})
		for _, part := range [...][2]float64{{-0.25, -0.25}, {0.25, 0.25}, {-0.25, 0.25}, {0.25, -0.25}} {
			aside, up := part[0]*l.Width, part[1]*l.Height
			s.besideC = append(s.besideC, mgl64.Vec3{cos - up*sin, aside, sin + up*cos}.Normalize())
		}
	}
	for k := range l.Points { // clockwise from behind, as a VLP-16 turns
		bearing := math.Pi - 2*math.Pi*float64(k)/float64(l.Points)
		sin, cos := math.Sincos(bearing)
		s.bearings, s.turnSC = append(s.bearings, mgl64.Vec2{cos, sin}), append(s.turnSC, spatial.RotZ(bearing))
	}
	n := l.Points * len(s.alongC)
	s.columns, s.echoes, s.returned = make([]beams.Column, l.Points), make([]beams.Echo, n), make([][2]response, n)
	s.castAll, s.readAll = s.cast, s.read
	return s, nil
}

func (l *lidar) Observe(at *Instant, obs *Observation) {
	l.level, l.frame = obs.Level, l.noise.Frame(obs.Frame)
	l.turn(at)
	beams.InParallel(len(l.sectors), l.castAll)
	beams.InParallel(len(l.sectors), l.readAll)
	obs.PoseBC = l.poseBS
	cloud := readingIn[PointCloud](obs)
	*cloud = PointCloud{PoseWB: spatial.Identity(), Beams: len(l.echoes), Min: l.spec.Min, Max: l.spec.Max,
		Points: slices.Grow(cloud.Points[:0], len(l.echoes))}
	if l.level == abstraction.Truth {
		cloud.PoseWB, cloud.PoseKnown = at.State().PoseWB, true
	}
	for i := range l.returned {
		for _, r := range l.returned[i] {
			if r.distance > 0 {
				cloud.Points = append(cloud.Points, l.point(i, r))
			}
		}
	}
}

// point returns the point of a response to a beam.
func (l *lidar) point(beam int, r response) LidarPoint {
	column, ring := beam/len(l.alongC), beam%len(l.alongC)
	along, bearing, d := &l.alongC[ring], &l.bearings[column], float64(r.distance)
	return LidarPoint{float32(d * along[0] * bearing[0]), float32(d * along[0] * bearing[1]), float32(d * along[2]),
		r.intensity, float32(-l.ago(column).Seconds()), uint16(ring)}
}

// ago returns how long before the end of the turn a column is measured. At level truth it is 0.
func (l *lidar) ago(column int) time.Duration {
	if l.level == abstraction.Truth {
		return 0
	}
	return l.cfg.Sweep() * time.Duration(len(l.columns)-1-column) / time.Duration(len(l.columns))
}

// turn sets the columns and the sectors of the turn that ends now.
func (l *lidar) turn(at *Instant) {
	now := at.Snapshot.Time
	l.sectors = l.sectors[:0]
	var s *beams.Sector
	for k := range l.columns {
		from, to, share := at.Trail.Around(now - l.ago(k))
		if k == 0 {
			l.caster.Start(to)
		}
		if l.level == abstraction.Truth {
			from = to
		}
		if s == nil || len(s.Columns) == sectorColumns || &from[0] != &s.From[0] || &to[0] != &s.To[0] {
			s = l.nextSector()
			s.From, s.To, s.Columns = from, to, l.columns[k:k]
		}
		poseWS := from[l.body].Between(&to[l.body], share).Mul(l.poseBS)
		poseWS.Rot = poseWS.Rot.Mul(l.turnSC[k])
		s.Columns = append(s.Columns, beams.Column{PoseWS: poseWS, Share: share})
	}
}

// nextSector adds a sector. It reuses the memory of earlier turns.
func (l *lidar) nextSector() *beams.Sector {
	n := len(l.sectors)
	if n == cap(l.sectors) {
		l.sectors = append(l.sectors, beams.Sector{})
	}
	l.sectors = l.sectors[:n+1]
	l.sectors[n].First = 0
	if n > 0 {
		before := &l.sectors[n-1]
		l.sectors[n].First = before.First + len(before.Columns)
	}
	return &l.sectors[n]
}

// cast casts the centres of a sector's beams.
func (l *lidar) cast(sector int) {
	s := &l.sectors[sector]
	l.caster.Aim(s, l.alongC, l.spec.Max+l.spec.Separation)
	for k := range s.Columns {
		s.Turn(k)
		echoes := l.echoes[(s.First+k)*len(l.alongC):]
		for ring, along := range l.alongC {
			echoes[ring] = l.caster.Cast(s, along)
		}
	}
}

// read measures the returns of a sector's beams.
func (l *lidar) read(sector int) {
	s, rings := &l.sectors[sector], len(l.alongC)
	for k := range s.Columns {
		column, turned := s.First+k, false
		for ring := range rings {
			beam := column*rings + ring
			if l.level != abstraction.Raw {
				l.returned[beam] = [2]response{l.exact(&l.echoes[beam])}
				continue
			}
			met := [5]beams.Echo{l.echoes[beam]}
			n := 1
			if aside, above := l.edges(column, ring); aside || above {
				if !turned {
					s.Turn(k)
					turned = true
				}
				n = l.spread(s, ring, aside, &met)
			}
			l.returned[beam] = l.measure(uint64(beam), met[:n])
		}
	}
}

// spread casts further rays of a beam, whose centre has met the first echo, and returns how many echoes count. Rings
// are much farther apart than a beam is high. If only other rings meet other surfaces, the rays in two opposite
// quarters decide whether the beam does.
func (l *lidar) spread(s *beams.Sector, ring int, aside bool, met *[5]beams.Echo) int {
	for n := 1; n < len(met); n++ {
		met[n] = l.caster.Cast(s, l.besideC[4*ring+n-1])
		if n == 2 && !aside && !apart(&met[0], &met[1]) && !apart(&met[0], &met[2]) {
			return 1
		}
	}
	return len(met)
}

// exact returns the response to a beam at the levels without errors.
func (l *lidar) exact(e *beams.Echo) response {
	if r := float64(e.Range); r < l.spec.Min || r > l.spec.Max {
		return response{}
	}
	return response{e.Range, brightness(e.Reflectance)}
}

// brightness returns the intensity for a reflectance.
func brightness(reflectance float32) float32 { return min(100*reflectance, 255) }

// edges reports whether a beam may meet several surfaces, because a neighbour in the next column or in the next ring
// meets another surface.
func (l *lidar) edges(column, ring int) (aside, above bool) {
	if l.spec.Width+l.spec.Height == 0 {
		return false, false
	}
	rings := len(l.alongC)
	beam := column*rings + ring
	e := &l.echoes[beam]
	aside = column > 0 && apart(e, &l.echoes[beam-rings]) ||
		column+1 < len(l.columns) && apart(e, &l.echoes[beam+rings])
	return aside, ring > 0 && apart(e, &l.echoes[beam-1]) || ring+1 < rings && apart(e, &l.echoes[beam+1])
}

// depthStep is the difference of two distances from which neighbouring beams are taken for beams on two surfaces, m. It
// is a guess, smaller than a limb is thick.
const depthStep = 0.05

// apart reports whether two rays meet different surfaces. The floor is one surface, and so is the hall.
func apart(x, y *beams.Echo) bool {
	return (x.Body >= 0 || x.Body != y.Body) && !(math.Abs(float64(x.Range-y.Range)) <= depthStep)
}
