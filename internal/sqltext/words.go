package sqltext

import "strings"

// reserved are the words that name neither a table nor a column.
var reserved = wordSet(`
	select insert update delete from where set into values and or not is in like ilike between exists null true false
	case when then else end as on using join inner left right full outer cross natural group order by having limit offset
	returning union intersect except distinct all any some for interval cast collate escape asc desc array default with
	conflict duplicate do nothing binary similar regexp rlike glob current_timestamp current_date current_time
	isnull notnull merge replace truncate lateral only fetch window nowait row`)

// units are the words that measure time.
var units = wordSet(`microsecond microseconds millisecond milliseconds second seconds minute minutes hour hours day days week
	month year quarter epoch dow doy`)

// unitFirst are the functions whose first argument may be a unit.
var unitFirst = wordSet(`extract timestampdiff timestampadd datediff dateadd date_part datediff_big`)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
