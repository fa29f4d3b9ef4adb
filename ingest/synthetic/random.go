package synthetic

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"poolproof/core"
)

// random returns the generator of one purpose. Purposes do not disturb each
// other.
func random(seed uint64, purpose string, number int64) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%d", purpose, number)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// days are the arrival rates of each hour of a day, relative to the busiest hour.
var days = map[string][24]float64{
	"flat":   {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	"office": {.1, .1, .1, .1, .1, .1, .1, .2, .4, .7, 1, 1, .9, .9, 1, 1, 1, .9, .6, .4, .3, .2, .2, .1},
	"night":  {1, 1, 1, 1, .9, .7, .5, .3, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .2, .3, .5, .7, .9, 1},
}

const hour = 3600 * core.Second

// arrivals draws the moments of a span at which operations begin: a Poisson
// process whose rate follows the day.
func arrivals(r *rand.Rand, a Arrivals, span core.Span) (at []core.Time) {
	day := days[a.Day]
	for t := span.From; a.PerHour > 0; {
		t += core.Time(r.ExpFloat64() / a.PerHour * float64(hour))
		if t >= span.To {
			return at
		}
		if of := int(t / hour % 24); r.Float64() < day[of] {
			at = append(at, t)
		}
	}
	return at
}

// between draws a number from least to most, spread evenly over the orders of
// magnitude.
func between(r *rand.Rand, least, most int) int {
	x := math.Exp(math.Log(float64(least)) + r.Float64()*math.Log(float64(most+1)/float64(least)))
	return min(max(int(x), least), most)
}

// logNormal draws a time with a median and a spread in seconds.
func logNormal(r *rand.Rand, seconds [2]float64) core.Time {
	t := core.Time(seconds[0] * math.Exp(seconds[1]*r.NormFloat64()) * float64(core.Second))
	return max(t, core.Second)
}

// guid is an id as clusters of this kind write them: four hexadecimal words.
func guid(r *rand.Rand) string {
	return fmt.Sprintf("%x-%x-%x-%x", r.Uint32(), r.Uint32(), r.Uint32()&0xfffff0ff|0x3e8, r.Uint32())
}

// isCount reports whether a text is a whole number from 1 on.
func isCount(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n > 0
}

// expand lists users: analyst*3 is analyst1, analyst2 and analyst3.
func expand(users []string) (names []string) {
	for _, u := range users {
		name, count, many := strings.Cut(u, "*")
		n, err := strconv.Atoi(count)
		if !many || err != nil {
			names = append(names, u)
			continue
		}
		for i := range n {
			names = append(names, fmt.Sprintf("%s%d", name, i+1))
		}
	}
	return names
}
